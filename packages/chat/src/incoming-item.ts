import type { Message } from 'chat'
import type { ChatSender } from './options.ts'

/** A file that came with a message, as its adapter fetches it. */
export type IncomingFile = Pick<
  Message['attachments'][number],
  'type' | 'url' | 'name' | 'mimeType' | 'size' | 'fetchMetadata'
>

interface Incoming {
  /** The platform's id of the event, within its thread. */
  readonly id: string
  readonly from: ChatSender
}

/** A message that a person has sent. */
export interface SaidItem extends Incoming {
  readonly kind: 'said'
  readonly at: number
  readonly text: string
  readonly isMention: boolean
  readonly files: readonly IncomingFile[]
  /** True for a slash command that only its person sees: it is answered in their direct messages. */
  readonly isPrivate?: boolean | undefined
}

/** A button that a person has pressed. */
export interface PressedItem extends Incoming {
  readonly kind: 'pressed'
  readonly messageId: string
  /** What the button is, and its value, as we have sent them. */
  readonly action: string
  readonly value: string
}

/** A form that a person has sent. */
export interface FilledItem extends Incoming {
  readonly kind: 'filled'
  /** The message whose button has opened it, and the button's number. */
  readonly messageId: string
  readonly number: number
  /** What stands in its fields, by their places. */
  readonly values: readonly (string | undefined)[]
}

/** What an adapter has handed over, as it is in the store until it is handled. */
export type IncomingItem = SaidItem | PressedItem | FilledItem
