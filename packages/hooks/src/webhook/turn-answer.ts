import type { Envelope, Frame, Originator, Part, Runtime, Sessions } from '@cool-ai/beach-core'
import type { StatusPlace } from './status-links.ts'

/** How far the answer to a message has come. */
export type TurnAnswer =
  | { readonly status: 'working' }
  /** Approvals must be decided first; the envelope has what was said so far. */
  | { readonly status: 'suspended'; readonly envelope: Envelope; readonly approvals: readonly string[] }
  | { readonly status: 'settled'; readonly envelope: Envelope }

interface AnswerWorld {
  readonly sessions: Sessions
  readonly runtime: Runtime
}

/** Waits for the answer to a message, until there is one, or somebody must decide something, or the signal aborts. */
export async function awaitAnswer(
  place: StatusPlace,
  to: Originator,
  world: AnswerWorld,
  signal: AbortSignal,
): Promise<TurnAnswer> {
  const frames = world.sessions.follow(place.session, to, { from: place.seq }, signal)
  try {
    return await read(frames, true, { place, to, world })
  } catch (error) {
    if (signal.aborted) return { status: 'working' }
    throw error
  }
}

/** How far the answer to a message has come by now. */
export function currentAnswer(place: StatusPlace, to: Originator, world: AnswerWorld): Promise<TurnAnswer> {
  return read(world.sessions.history(place.session, to, { from: place.seq }), false, { place, to, world })
}

interface Reading {
  readonly place: StatusPlace
  readonly to: Originator
  readonly world: AnswerWorld
}

async function read(frames: AsyncIterable<Frame>, isLive: boolean, reading: Reading): Promise<TurnAnswer> {
  const { place, to, world } = reading
  const parts = new Map<string, Part>()
  let turnId: string | undefined
  for await (const frame of frames) {
    if (frame.kind === 'turn' && frame.messageIds?.includes(place.messageId) === true) turnId ??= frame.turnId
    if (turnId === undefined || frame.turnId !== turnId) continue
    if (frame.kind === 'part' && frame.role === 'agent') parts.set(frame.partId, frame.part)
    if (frame.kind === 'settled') {
      const envelope = await world.sessions.envelope(place.session, turnId, to, undefined, place.seq)
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
  { place, to, world }: Reading,
): Promise<TurnAnswer | undefined> {
  const { turn } = await world.sessions.view(place.session, to.principal)
  const approvals = turn?.turnId === turnId ? turn.pendingApprovals : []
  if (approvals.length === 0) return undefined
  const producedAt = new Date(world.runtime.clock.now()).toISOString()
  const meta = { sessionId: place.session, turnId, originatorId: to.id, producedAt, turnState: 'suspended' }
  return { status: 'suspended', approvals, envelope: { role: 'agent', parts: [...parts.values()], meta } }
}
