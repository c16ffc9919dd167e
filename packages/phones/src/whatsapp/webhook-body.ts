import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { defined } from '@cool-ai/beach-core/runtime'

const id = z.string().min(1).max(256)
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)

const mediaSchema = z.object({
  id,
  mime_type: z.string().max(200).optional(),
  caption: z.string().max(10_000).optional(),
  filename: z.string().max(500).optional(),
})

const messageSchema = z.object({
  id,
  from: optional(z.string().regex(/^\d{5,20}$/)),
  from_user_id: optional(id),
  timestamp: z.string().regex(/^\d{1,12}$/),
  type: z.string().max(50),
  context: optional(
    z.object({
      id: optional(id),
      forwarded: optional(z.boolean()),
      frequently_forwarded: optional(z.boolean()),
    }),
  ),
  text: optional(z.object({ body: z.string() })),
  interactive: optional(
    z.object({
      type: z.string(),
      button_reply: optional(z.object({ id, title: z.string() })),
      list_reply: optional(z.object({ id, title: z.string() })),
    }),
  ),
  button: optional(z.object({ payload: z.string().max(1_000), text: z.string() })),
  location: optional(
    z.object({
      latitude: z.number(),
      longitude: z.number(),
      name: z.string().max(500).optional(),
      address: z.string().max(1_000).optional(),
    }),
  ),
  image: optional(mediaSchema),
  document: optional(mediaSchema),
  audio: optional(mediaSchema),
  video: optional(mediaSchema),
  sticker: optional(mediaSchema),
})

const statusSchema = z.object({
  id,
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  timestamp: z.string().regex(/^\d{1,12}$/),
  recipient_id: optional(z.string().max(256)),
  recipient_user_id: optional(id),
  biz_opaque_callback_data: optional(z.string().max(512)),
  errors: optional(z.array(z.object({ code: z.number() })).max(20)),
})

const contactSchema = z.object({ wa_id: optional(z.string().max(256)), user_id: optional(id) })

const bodySchema = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z
    .array(
      z.object({
        changes: z
          .array(
            z.object({
              field: z.string(),
              value: z.object({
                metadata: optional(z.object({ phone_number_id: z.string() })),
                contacts: optional(z.array(contactSchema).max(1_000)),
                messages: z.array(z.unknown()).max(1_000).optional(),
                statuses: z.array(z.unknown()).max(1_000).optional(),
              }),
            }),
          )
          .max(1_000),
      }),
    )
    .max(1_000),
})

export type WhatsAppMessage = z.infer<typeof messageSchema>
export type WhatsAppStatus = z.infer<typeof statusSchema>
export type WhatsAppMedia = z.infer<typeof mediaSchema>

/** A message with who has sent it. */
export interface ReceivedMessage {
  readonly message: WhatsAppMessage
  readonly from: { readonly userId?: string; readonly phone?: string }
}

export interface WebhookNews {
  readonly messages: readonly ReceivedMessage[]
  readonly statuses: readonly WhatsAppStatus[]
}

/** A webhook's content about one of our numbers; undefined when it is no such body. Unknown members are left out. */
export function newsOf(body: unknown, phoneNumberId: string): WebhookNews | undefined {
  const read = bodySchema.safeParse(body)
  if (!read.success) return undefined
  const values = read.data.entry
    .flatMap(({ changes }) => changes)
    .filter(({ field, value }) => field === 'messages' && value.metadata?.phone_number_id === phoneNumberId)
    .map(({ value }) => value)
  const messages = values.flatMap(({ messages: some = [], contacts = [] }) => {
    return some.flatMap((message) => received(message, contacts, some.length) ?? [])
  })
  const statuses = values.flatMap(({ statuses: some = [] }) => {
    return some.flatMap((status) => statusSchema.safeParse(status).data ?? [])
  })
  return { messages, statuses }
}

function received(
  raw: unknown,
  contacts: readonly z.infer<typeof contactSchema>[],
  count: number,
): ReceivedMessage | undefined {
  const message = messageSchema.safeParse(raw).data
  if (message === undefined) return undefined
  const { from: phone, from_user_id: named } = message
  const contact = contacts.find(({ wa_id, user_id }) => {
    return (phone !== undefined && wa_id === phone) || (named !== undefined && user_id === named)
  })
  // A sender without a number is named by the only contact there is.
  const only = count === 1 && contacts.length === 1 && phone === undefined ? contacts[0] : undefined
  const userId = named ?? contact?.user_id ?? only?.user_id
  if (userId === undefined && phone === undefined) return undefined
  return { message, from: defined({ userId, phone }) }
}

const form = /^sha256=([0-9a-f]{64})$/i

/** Whether this could be a signature. */
export function isSignature(header: string | null): boolean {
  return form.test(header ?? '')
}

/** Whether one of the secrets has signed these bytes. */
export function isSigned(body: Uint8Array, header: string | null, secrets: readonly string[]): boolean {
  const [, hex] = form.exec(header ?? '') ?? []
  if (hex === undefined) return false
  const given = Buffer.from(hex, 'hex')
  // All are compared, so that the time does not tell which one it was.
  return (
    secrets.filter((secret) => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given)).length > 0
  )
}

/** Whether two words are the same, in constant time. */
export function isSameWord(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}
