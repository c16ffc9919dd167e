import { z } from 'zod'
import type { SlackBlock, SlackMessage } from './slack-message.ts'

/** What a journal keeps of a Slack: each message as it is by now, and those that are gone. */
export const slackEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    channel: z.string(),
    ts: z.string(),
    thread: z.string().optional(),
    user: z.string(),
    text: z.string(),
    blocks: z.array(z.custom<SlackBlock>((value) => typeof value === 'object' && value !== null)),
    onlyFor: z.string().optional(),
    file: z.object({ name: z.string(), base64: z.base64() }).optional(),
    edits: z.number(),
  }),
  z.object({ kind: z.literal('removed'), channel: z.string(), ts: z.string() }),
])

/** A message that was sent, changed or removed, as a journal keeps it. */
export type SlackEntry = z.infer<typeof slackEntrySchema>

/** A message as a journal keeps it. */
export function slackEntry({ file, blocks, ...message }: SlackMessage): SlackEntry {
  const kept = file && { name: file.name, base64: file.bytes.toString('base64') }
  return { kind: 'message', ...message, blocks: [...blocks], file: kept }
}

/** Brings messages up to an entry. */
export function applySlackEntry(messages: SlackMessage[], entry: SlackEntry): void {
  const at = messages.findIndex(({ channel, ts }) => channel === entry.channel && ts === entry.ts)
  if (entry.kind === 'removed') {
    if (at !== -1) messages.splice(at, 1)
    return
  }
  const { kind: _, file, ...rest } = entry
  const bytes = file && { name: file.name, bytes: Buffer.from(file.base64, 'base64') }
  messages.splice(at === -1 ? messages.length : at, 1, { ...rest, file: bytes })
}
