/** What the pages are told; see the routes under `/local/api`. */

export interface MailSummary {
  readonly id: string
  readonly at: number
  readonly isMine: boolean
  readonly isNew: boolean
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly excerpt: string
  readonly files: number
}

export interface MailDetail extends Omit<MailSummary, 'files'> {
  readonly text: string
  readonly hasHtml: boolean
  readonly files: readonly { readonly name: string; readonly mimeType: string; readonly bytes: number }[]
}

export interface MailboxState {
  readonly agent: { readonly name: string; readonly address: string }
  /** One for each person; the newest mail first. */
  readonly boxes: readonly {
    readonly id: string
    readonly name: string
    readonly address: string
    readonly mails: readonly MailSummary[]
  }[]
}

export type PhoneApp = 'whatsapp' | 'sms'

export interface PhoneMessage {
  readonly id: string
  readonly at: number
  readonly isMine: boolean
  readonly isNew: boolean
  readonly text: string
  readonly footer?: string
  readonly buttons?: readonly string[]
  readonly list?: {
    readonly button: string
    readonly rows: readonly { readonly title: string; readonly description?: string | undefined }[]
  }
  readonly media?: { readonly id: string; readonly kind: 'image' | 'file'; readonly name: string }
  /** The message that it answers. */
  readonly replyTo?: string | undefined
}

export interface PhoneState {
  /** The agent's name. */
  readonly agent: string
  readonly smsNumber: string
  /** One for each person; the newest message last. */
  readonly phones: readonly ({
    readonly id: string
    readonly name: string
    readonly phone: string
  } & Readonly<Record<PhoneApp, readonly PhoneMessage[]>>)[]
}

/** Where a person of the work chat is: in the channel of all, or alone with the agent. */
export type ChatPlace = 'channel' | 'direct'

export interface ChatMessage {
  readonly id: string
  /** The message that began its thread; absent for one that is in none. */
  readonly thread?: string | undefined
  readonly at: number
  readonly by: string
  readonly isAgent: boolean
  readonly isMine: boolean
  readonly isNew: boolean
  /** No one else sees it. */
  readonly isPrivate: boolean
  readonly isEdited: boolean
  readonly text: string
  readonly buttons: readonly string[]
  readonly file?: string | undefined
}

/** A field of a form. */
export interface ChatField {
  readonly id: string
  readonly label: string
  readonly kind: 'text' | 'longText' | 'number' | 'date' | 'choice'
  readonly value: string
  readonly isOptional: boolean
  readonly options?: readonly { readonly label: string; readonly value: string }[] | undefined
}

/** A form that a button of the work chat has opened. */
export interface ChatForm {
  readonly id: string
  readonly title: string
  readonly submit: string
  readonly fields: readonly ChatField[]
}

export interface ChatState {
  /** The agent's name. */
  readonly agent: string
  /** The channel's name. */
  readonly channel: string
  /** One for each person; the newest message last. */
  readonly people: readonly ({ readonly id: string; readonly name: string } & Readonly<
    Record<ChatPlace, readonly ChatMessage[]>
  >)[]
}
