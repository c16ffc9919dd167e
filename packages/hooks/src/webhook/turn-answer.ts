import type { Envelope, Frame, Originator, Part, Runtime, Sessions } from '@cool-ai/beach-core'
import type { StatusTarget } from './status-links.ts'

/** How far the answer to a message has come. */
export type TurnAnswer =
  | { readonly status: 'working' }
  /** Approvals must be decided first; the envelope has what was said so far. */
  | { readonly status: 'suspended'; readonly envelope: Envelope; readonly approvals: readonly string[] }
  | { readonly status: 'settled'; readonly envelope: Envelope }

interface AnswerContext {
  readonly sessions: Sessions
  readonly runtime: Runtime
}

/** Waits for the answer to a message, until there is one, or a decision is needed, or the signal aborts. */
export async function awaitAnswer(
  place: StatusTarget,
  to: Originator,
  context: AnswerContext,
  signal: AbortSignal,
): Promise<TurnAnswer> {
  const frames = context.sessions.follow(place.session, to, { from: place.seq }, signal)
  try {
    return await read(frames, true, { place, to, context })
  } catch (error) {
    if (signal.aborted) return { status: 'working' }
    throw error
  }
}

/** How far the answer to a message has come by now. */
export function currentAnswer(place: StatusTarget, to: Originator, context: AnswerContext): Promise<TurnAnswer> {
  return read(context.sessions.history(place.session, to, { from: place.seq }), false, { place, to, context })
}

interface Reading {
  readonly place: StatusTarget
  readonly to: Originator
  readonly context: AnswerContext
}

async function read(frames: AsyncIterable<Frame>, isLive: boolean, reading: Reading): Promise<TurnAnswer> {
  const { place, to, context } = reading
  const parts = new Map<string, Part>()
  let turnId: string | undefined
  for await (const frame of frames) {
    if (frame.kind === 'turn' && frame.messageIds?.includes(place.messageId) === true) turnId ??= frame.turnId
    if (turnId === undefined || frame.turnId !== turnId) continue
    if (frame.kind === 'part' && frame.role === 'agent') parts.set(frame.partId, frame.part)
    if (frame.kind === 'settled') {
      const envelope = await context.sessions.envelope(place.session, turnId, to, undefined, place.seq)
      if (envelope !== undefined) return { status: 'settled', envelope }
    }
    if (isLive && frame.kind === 'turn' && frame.turnState === 'suspended') {
      const answer = await suspended(turnId, parts, reading)
      if (answer !== undefined) return answer
    }
  }
  return (turnId === undefined ? undefined : await suspended(turnId, parts, reading)) ?? { status: 'working' }
}

/** Undefined when nothing is to be decided any more: then the turn goes on. */
async function suspended(
  turnId: string,
  parts: ReadonlyMap<string, Part>,
  { place, to, context }: Reading,
): Promise<TurnAnswer | undefined> {
  const { turn } = await context.sessions.view(place.session, to.principal)
  const approvals = turn?.turnId === turnId ? turn.pendingApprovals : []
  if (approvals.length === 0) return undefined
  const producedAt = new Date(context.runtime.clock.now()).toISOString()
  const meta = { sessionId: place.session, turnId, originatorId: to.id, producedAt, turnState: 'suspended' }
  return { status: 'suspended', approvals, envelope: { role: 'agent', parts: [...parts.values()], meta } }
}
