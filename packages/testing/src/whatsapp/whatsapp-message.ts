import { z } from 'zod'

/** A message that has reached a person. */
export interface WhatsAppReceived {
  readonly id: string
  /** The number, or the user id, that it was sent to. */
  readonly to: string
  readonly mark: string
  readonly type: string
  readonly content: WhatsAppContent
  /** Everything that a reader sees. */
  readonly text: string
  readonly replyTo?: string
  readonly at: number
}

/** A message that a person has sent to the agent. */
export interface WhatsAppWritten {
  readonly id: string
  readonly person: WhatsAppPerson
  readonly message: Readonly<Record<string, unknown>>
  readonly at: number
}

export interface WhatsAppContent {
  readonly type?: string
  readonly to?: string
  readonly recipient?: string
  readonly biz_opaque_callback_data?: string
  readonly context?: { message_id: string }
  readonly text?: { body: string }
  readonly interactive?: {
    type: string
    body: { text: string }
    footer?: { text: string }
    action: {
      buttons?: { type: string; reply: { id: string; title: string } }[]
      button?: string
      sections?: { rows: { id: string; title: string; description?: string }[] }[]
    }
  }
  readonly template?: {
    name: string
    language: { code: string }
    components: { type: string; sub_type?: string; index?: string; parameters: { text?: string; payload?: string }[] }[]
  }
  readonly image?: { id: string; caption?: string }
  readonly document?: { id: string; filename?: string }
  readonly audio?: { id: string }
  readonly video?: { id: string; caption?: string }
}

/** A person on WhatsApp; at least one of the two is known to the business. */
export interface WhatsAppPerson {
  readonly phone?: string
  readonly userId?: string
}

export interface StoredMedia {
  readonly bytes: Buffer
  readonly mimeType: string
}

const personSchema = z.object({ phone: z.string().optional(), userId: z.string().optional() })

export const whatsAppEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('received'),
    message: z.object({
      id: z.string(),
      to: z.string(),
      mark: z.string(),
      type: z.string(),
      content: z.custom<WhatsAppContent>((value) => typeof value === 'object' && value !== null),
      text: z.string(),
      replyTo: z.string().optional(),
      at: z.number(),
    }),
  }),
  z.object({ kind: z.literal('told'), id: z.string() }),
  z.object({
    kind: z.literal('written'),
    id: z.string(),
    person: personSchema,
    message: z.record(z.string(), z.unknown()),
    at: z.number(),
  }),
  z.object({ kind: z.literal('media'), id: z.string(), mimeType: z.string(), base64: z.string() }),
])

/** What the stand-in keeps. */
export type WhatsAppEntry = z.infer<typeof whatsAppEntrySchema>

/** A person as stored. */
export function personOf({ phone, userId }: z.infer<typeof personSchema>): WhatsAppPerson {
  return { ...(phone !== undefined && { phone }), ...(userId !== undefined && { userId }) }
}
