import { BeachError, type PlainTool, type Principal, type ToolContext } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { z } from 'zod'
import { requirePerson, type Memories } from './memories.ts'
import type { Memory } from './memory-state.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** A tool that does not run in parallel to other calls of its message. */
type SequentialTool = PlainTool & { readonly sequential?: boolean }

/**
 * Tools by which an actor remembers the owner of its session across sessions. The first `remember` asks the person, as an
 * approval on the channel that they use; no other approver can agree for them.
 */
export function memoryTools(memories: Memories, now: () => number): readonly SequentialTool[] {
  const rememberInput = z.strictObject({
    text: z
      .string()
      .min(1)
      .max(10_000)
      .meta({ title: 'First' })
      .describe(
        'One fact, complete in itself, such as: Is vegetarian. Never passwords, card numbers or what others said.',
      ),
    askAgain: z
      .boolean()
      .optional()
      .describe('True when the person declined to be remembered earlier and says now that they want it'),
  })
  const recallInput = z.strictObject({
    text: z
      .string()
      .max(500)
      .optional()
      .describe('Words to look for; entries with any of them. The newest when left out'),
    limit: z.int().min(1).max(50).optional().describe('How many; 20 when left out'),
  })
  const forgetInput = z.strictObject({
    ids: z.array(z.string().max(100)).max(200).optional().describe('The ids of entries that recall has given'),
    everything: z
      .boolean()
      .optional()
      .describe(
        'True when the person does not want to be remembered any more: all is erased, and nothing is remembered',
      ),
  })
  return [
    {
      name: 'remember',
      title: 'Remember something about you',
      description:
        'Remembers a fact about this person for later conversations, on all channels. The first time, the person is asked whether they want that.',
      inputSchema: z.toJSONSchema(rememberInput),
      // The same call keeps the same entry.
      idempotent: true,
      // One question at a time.
      sequential: true,
      async handler(input: unknown, context: ToolContext) {
        const { text, askAgain = false } = parsed(rememberInput, input)
        const owner = ownerOf(context)
        const known = await memories.of(owner)
        if (known.consent === undefined) {
          if (known.refusedAt !== undefined && !askAgain) return { remembered: false, reason: declined }
          const refusal = await askedFor(owner, text, context)
          if (refusal !== undefined) return { remembered: false, reason: refusal }
        }
        const { key, session, origins } = context
        const { id } = await memories.remember(owner, { text, key, origins, sessionId: session.sessionId })
        return { remembered: true, id }
      },
    },
    {
      name: 'recall',
      title: 'Look up what is remembered about you',
      description:
        'Looks up what is remembered about this person from earlier conversations. Without words it lists all of it, for a person who asks what you know about them.',
      inputSchema: z.toJSONSchema(recallInput),
      idempotent: true,
      annotations: { readOnlyHint: true },
      resultOrigin: ({ memories: found }: Recalled) => found.flatMap(({ from = [] }) => from),
      async handler(input: unknown, context: ToolContext): Promise<Recalled> {
        const { text, limit } = parsed(recallInput, input)
        const { entries, more } = await memories.recall(ownerOf(context), { text, ...(limit && { limit }) })
        return { memories: entries.map(shown), more }
      },
    },
    {
      name: 'forget',
      title: 'Forget what is remembered about you',
      description: 'Forgets entries that recall has given, or everything, for good. Do it whenever the person asks.',
      inputSchema: z.toJSONSchema(forgetInput),
      idempotent: true,
      async handler(input: unknown, context: ToolContext) {
        const { ids = [], everything = false } = parsed(forgetInput, input)
        if (!everything && ids.length === 0) throw new BeachError('BAD_REQUEST', 'Name `ids`, or say `everything`.')
        const owner = ownerOf(context)
        const denied = await deniedByOrigin({ ids, everything }, context)
        if (denied !== undefined) return { forgotten: 0, reason: denied }
        if (!everything) return { forgotten: await memories.forget(owner, ids) }
        const { entries } = await memories.of(owner)
        await memories.refuse(owner)
        return { forgotten: entries.length, everything: true }
      },
    },
  ]

  /** Asks the person whether they want to be remembered; why not, when they do not. */
  async function askedFor(owner: Principal, text: string, context: ToolContext): Promise<string | undefined> {
    const { approve } = context
    if (approve === undefined) throw new BeachError('INVALID_STATE', 'The person cannot be asked from here.')
    const { decision, by, via } = await approve({
      toolName: 'remember',
      args: { text },
      expiresAt: now() + dayMs,
      approval: {
        title: 'Remember what you tell me in later conversations',
        summary:
          'What I remember is kept for you alone, until you tell me to forget it. You can ask at any time what I know about you.',
        risk: 'low',
      },
    })
    if (by !== principalKey(owner)) {
      return decision === 'denied'
        ? 'It was not approved. Do not ask again in this conversation.'
        : 'Only the person can agree to be remembered, and another approver did. Do not ask again in this conversation.'
    }
    if (decision === 'denied') await memories.refuse(owner, { via })
    else await memories.consent(owner, { via })
    return decision === 'denied' ? declined : undefined
  }
}

interface Recalled {
  readonly memories: readonly ReturnType<typeof shown>[]
  readonly more: boolean
}

const declined =
  'This person does not want to be remembered. Go on without it, and do not ask again unless they bring it up.'

/** Foreign content must not have a person forgotten: the person is asked then. */
async function deniedByOrigin(args: object, { origins = [], approve }: ToolContext): Promise<string | undefined> {
  if (origins.length === 0) return undefined
  if (approve === undefined) return 'The person cannot be asked from here.'
  const { decision, reason } = await approve({
    toolName: 'forget',
    args,
    approval: { title: 'Forget what I remember about you', risk: 'medium' },
  })
  return decision === 'granted' ? undefined : (reason ?? 'This was not approved.')
}

function shown({ id, at, text, origins }: Memory) {
  return { id, at: new Date(at).toISOString(), text, ...(origins.length > 0 && { from: origins }) }
}

function ownerOf({ session }: ToolContext): Principal {
  if (session.owner === undefined) throw new BeachError('NOT_FOUND', 'This session has no owner any more.')
  requirePerson(session.owner)
  return session.owner
}

function parsed<Value>(schema: z.ZodType<Value>, input: unknown): Value {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw new BeachError('BAD_REQUEST', z.prettifyError(result.error))
}
