import { requireDecided } from '@cool-ai/beach-channel/live'
import type { FollowTurn, ThreadSession } from '@cool-ai/beach-channel/threads'
import { BeachError, type Part, type PartTypeRegistry, type Runtime, type Sessions } from '@cool-ai/beach-core'
import { contentHash, defined, ifFound } from '@cool-ai/beach-core/runtime'
import type { ChatRequest, GivenMessage } from './chat-request.ts'
import { givenParts } from './given-parts.ts'
import { knownCalls, pageDecisions, pageResults } from './page-answers.ts'
import { pageOffer } from './page-tools.ts'
import type { ToolPart } from './ui-message.ts'

/** A request that was taken in: which turn its answer shows, and from where. */
export interface TakenChat extends Pick<FollowTurn, 'from' | 'of'> {
  /** The calls that the page has in the message that goes on. */
  readonly known: readonly ToolPart[]
  /** True when it has brought something new. */
  readonly brings: boolean
}

export interface TakeOptions {
  readonly sessions: Sessions
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  /** Called before something new is said, once nothing in the request can be refused for its form. */
  readonly onNews: (place: ThreadSession) => Promise<void>
}

/** What a person has said, in parts. */
interface Said {
  readonly message: GivenMessage
  readonly parts: readonly Part[]
}

/** Takes in what a page has said, decided or run; undefined when that starts no turn and none is open. */
export async function takeChat(
  request: ChatRequest,
  place: ThreadSession,
  options: TakeOptions,
): Promise<TakenChat | undefined> {
  const { sessions } = options
  const { messages } = request
  const fresh = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
  const said = partsOf(
    fresh.filter(({ role }) => role === 'user'),
    options,
  )
  const before = await ifFound(sessions.view(place.session, place.principal))
  const pending = new Set(before?.turn?.pendingApprovals)
  const decisions = pageDecisions(messages).filter(({ approvalId }) => pending.has(approvalId))
  const results = before === undefined || said.length > 0 ? [] : pageResults(messages)
  if (results.length > 0) await sessions.answerCalls(place.session, results, place.to, place.principal)
  for (const { approvalId, approved, reason } of decisions) {
    const decision = approved ? ('granted' as const) : ('denied' as const)
    const made = { decision, ...defined({ reason }), via: place.to.transport, dedupeKey: `ai-sdk:${approvalId}` }
    requireDecided(await sessions.decide(approvalId, made, place.principal, place.session))
  }
  if (said.length > 0) return say(request, said, place, options)
  const turnId = before?.turn?.turnId
  if (before === undefined || turnId === undefined) return undefined
  const last = messages.at(-1)
  const from = cursorIn(last, turnId) ?? String(before.head)
  return { of: { turnId }, from, known: knownCalls(messages), brings: decisions.length + results.length > 0 }
}

async function say(
  { isRegeneration, messageId, tools }: ChatRequest,
  said: readonly Said[],
  place: ThreadSession,
  { sessions, runtime, onNews }: TakeOptions,
): Promise<TakenChat | undefined> {
  const { session, to: from, principal } = place
  const offer = pageOffer(tools, sessions.ownTools)
  let taken: TakenChat | undefined
  await onNews(place)
  for (const { message, parts } of said.filter(({ parts: some }) => some.length > 0)) {
    // A message that the page has edited has the id of before, and is another one.
    const again = isRegeneration ? `:again:${messageId ?? runtime.id('again')}` : ''
    const dedupeKey = `ai-sdk:${message.id}:${contentHash(parts)}${again}`
    const result = await sessions.take(session, { parts, from, dedupeKey, offer }, principal, { opening: {} })
    if (result.kind === 'posted') {
      const { messageId: posted, seq, duplicate } = result.posted
      taken = { of: { messageId: posted }, from: { from: seq }, known: [], brings: !duplicate }
    } else if (result.kind === 'decided') {
      requireDecided(result.decided)
      const { turn, head } = await sessions.view(session, principal)
      taken = turn && { of: { turnId: turn.turnId }, from: String(head), known: [], brings: true }
    }
  }
  return taken
}

function partsOf(said: readonly GivenMessage[], { partTypes }: TakeOptions): readonly Said[] {
  const all = said.map((message) => ({ message, parts: givenParts(message, partTypes) }))
  if (all.length === 0 || all.some(({ parts }) => parts.length > 0)) return all
  throw new BeachError('BAD_REQUEST', 'The last message of the user is empty. Give it a text, a file or data.')
}

/** How far the page's copy of a turn goes, as it was told with the end of the last answer. */
function cursorIn(message: GivenMessage | undefined, turnId: string): string | undefined {
  if (message?.id !== turnId || typeof message.metadata !== 'object' || message.metadata === null) return undefined
  const { cursor } = message.metadata as { readonly cursor?: unknown }
  return typeof cursor === 'string' && /^\d{1,15}$/.test(cursor) ? cursor : undefined
}
