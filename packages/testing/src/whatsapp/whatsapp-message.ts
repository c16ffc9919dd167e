import { z } from 'zod'
import { StandInProblem } from '../stand-in/stand-in-server.ts'

/** What a message of WhatsApp contains. */
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

/** A file that a stand-in of WhatsApp holds. */
export interface StoredMedia {
  readonly bytes: Buffer
  readonly mimeType: string
}

const personSchema = z.object({ phone: z.string().optional(), userId: z.string().optional() })

/** The schema of what a stand-in of WhatsApp keeps. */
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

/** What a stand-in of WhatsApp keeps. */
export type WhatsAppEntry = z.infer<typeof whatsAppEntrySchema>

/** A message that has reached a person; `to` is the number or the user id, `text` all that a reader sees. */
export type WhatsAppReceived = Extract<WhatsAppEntry, { kind: 'received' }>['message']

/** A message that a person has sent to the agent. */
export type WhatsAppWritten = Omit<Extract<WhatsAppEntry, { kind: 'written' }>, 'kind'>

/** A person on WhatsApp; at least one of the two is known to the business. */
export type WhatsAppPerson = z.infer<typeof personSchema>

/** What a reader sees of a message with buttons or rows that is within all limits. */
export function shownInteractive({ interactive: shown }: WhatsAppContent): string {
  within(shown?.body.text, 1, 1_024, 'interactive.body.text')
  if (shown?.footer !== undefined) within(shown.footer.text, 1, 60, 'interactive.footer.text')
  const { buttons = [], button, sections = [] } = shown?.action ?? {}
  if (shown?.type === 'button') {
    require(buttons.length >= 1 && buttons.length <= 3, 'There are one to three buttons', 131_009)
    for (const { reply } of buttons) {
      within(reply.title, 1, 20, 'A button’s title')
      within(reply.id, 1, 256, 'A button’s id')
    }
    unique(buttons.map(({ reply }) => reply.id))
    unique(buttons.map(({ reply }) => reply.title))
    return [shown.body.text, shown.footer?.text, ...buttons.map(({ reply }) => reply.title)].join('\n')
  }
  const rows = sections.flatMap((section) => section.rows)
  require(shown?.type === 'list' && rows.length >= 1 && rows.length <= 10, 'There are one to ten rows', 131_009)
  within(button, 1, 20, 'The list’s button')
  for (const row of rows) {
    within(row.title, 1, 24, 'A row’s title')
    within(row.id, 1, 200, 'A row’s id')
    if (row.description !== undefined) within(row.description, 1, 72, 'A row’s description')
  }
  unique(rows.map(({ id }) => id))
  return [shown?.body.text, ...rows.map(({ title, description = '' }) => `${title} ${description}`)].join('\n')
}

/** Refuses a text that is too short or too long. */
export function within(text: string | undefined, min: number, max: number, name: string): void {
  const { length } = text ?? ''
  require(length >= min && length <= max, `${name} has ${length} characters; ${min} to ${max} are allowed`)
}

function unique(names: readonly string[]): void {
  require(new Set(names).size === names.length, 'Something is there twice', 131_009)
}

/** Answers with an error unless the condition holds. */
export function require(condition: boolean, message: string, code = 100): void {
  if (!condition) throw new StandInProblem(400, code, `(#${code}) ${message}`)
}
