import { BeachError, type PlainTool, type Principal, type ToolContext } from '@cool-ai/beach-core'
import { z } from 'zod'
import { MissiveReader, type MissiveStores } from '../missives/missive-reader.ts'
import { textOf } from '../missives/missive-parts.ts'
import type { Missive } from '../missives/missive.ts'

const maxTextLength = 2_000
const maxResultLength = 20_000

/**
 * Tools by which an actor looks up earlier messages of the person it talks to, on all channels. They see what the owner
 * of the session may see, never more, and give back a bounded amount.
 */
export function missiveTools(stores: MissiveStores): readonly PlainTool[] {
  const searchInput = z.strictObject({
    text: z.string().min(1).max(500).optional().describe('Words that the message has'),
    channel: z.string().max(50).optional().describe('Such as smtp (e-mail), whatsapp, sms, sse (the web page)'),
    direction: z.enum(['in', 'out']).optional().describe('in: from the person; out: from you'),
    since: z.iso.datetime({ offset: true }).optional().describe('Not older than this, such as 2026-03-01T00:00:00Z'),
    until: z.iso.datetime({ offset: true }).optional().describe('Older than this'),
    limit: z.int().min(1).max(20).optional().describe('How many; 10 when left out'),
  })
  const threadInput = z.strictObject({
    threadId: z.string().max(100).describe('A threadId that search_missives has given'),
    limit: z.int().min(1).max(50).optional().describe('How many of the last messages; 20 when left out'),
  })
  const reader = new MissiveReader(stores)
  return [
    {
      name: 'search_missives',
      description:
        'Searches earlier messages with this person, on all channels (web page, e-mail, phone), in this and in earlier conversations. Newest first. Use read_thread to see a message in its context.',
      inputSchema: z.toJSONSchema(searchInput),
      idempotent: true,
      // People quote and forward, and the agent may have repeated what it read.
      resultOrigin: 'earlier-messages',
      async handler(input: unknown, context: ToolContext) {
        const { since, until, limit = 10, ...rest } = parsed(searchInput, input)
        const time = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text))
        const query = { ...rest, since: time(since), until: time(until), limit }
        const { items, next } = await reader.findOwn(query, ownerOf(context))
        return { missives: bounded(items), more: next !== undefined }
      },
    },
    {
      name: 'read_thread',
      description: 'Reads the last messages of one thread that search_missives has found, oldest first.',
      inputSchema: z.toJSONSchema(threadInput),
      idempotent: true,
      // People quote and forward, and the agent may have repeated what it read.
      resultOrigin: 'earlier-messages',
      async handler(input: unknown, context: ToolContext) {
        const { threadId, limit = 20 } = parsed(threadInput, input)
        const { items, next } = await reader.findOwn({ threadId, limit }, ownerOf(context))
        return { threadId, missives: bounded(items).toReversed(), more: next !== undefined }
      },
    },
  ]
}

function ownerOf({ session }: ToolContext): Principal {
  if (session.owner === undefined) throw new BeachError('NOT_FOUND', 'This session has no owner any more.')
  return session.owner
}

/** Messages as a model reads them, until there is enough. */
function bounded(missives: readonly Missive[]) {
  let room = maxResultLength
  return missives.flatMap((missive) => {
    const text = shortened(textOf(missive.parts), Math.min(maxTextLength, room))
    if (room <= 0) return []
    room -= text.length + 200
    const { threadId, sessionId, direction, channel, at, delivery } = missive
    return [{ threadId, sessionId, direction, channel, at: new Date(at).toISOString(), state: delivery.state, text }]
  })
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`
}

function parsed<Value>(schema: z.ZodType<Value>, input: unknown): Value {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw new BeachError('BAD_REQUEST', z.prettifyError(result.error))
}
