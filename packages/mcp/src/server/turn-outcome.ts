import {
  BeachError,
  isBeachError,
  type Envelope,
  type Frame,
  type Originator,
  type Part,
  type Principal,
  type Runtime,
  type Sessions,
  type SessionView,
} from '@cool-ai/beach-core'
import type { Conversation } from './conversations.ts'

/** What a turn has come to: an answer, or a wait for a decision. */
export interface TurnOutcome {
  readonly envelope: Envelope
  /** The approvals that it waits for; empty once it is settled. */
  readonly pending: readonly string[]
  /** The seq of the last event that was seen. */
  readonly seen: number
}

export interface Waiting {
  /** Says whether a frame begins the turn that is waited for. */
  readonly begins: (frame: Frame) => boolean
  /** The seq from which on to read; the last turns when left out. */
  readonly from?: number
  /** Up to here everything was seen before, and is not told again. */
  readonly seen?: number
  /** Told of each of the turn's parts as it comes. */
  readonly onPart?: (part: Part) => Promise<void>
  readonly signal: AbortSignal
}

/** What an outcome needs to know of its session besides the frames. */
export interface OutcomeSessions {
  envelope(session: string, turn: string, to: Originator, atLeast?: number): Promise<Envelope | undefined>
  view(session: string, by: Principal): Promise<Pick<SessionView, 'turn'>>
}

/** Reads along until the turn has settled or waits for an approval. */
export async function turnOutcome(
  conversation: Conversation,
  waiting: Waiting,
  context: { readonly sessions: Sessions; readonly runtime: Runtime },
): Promise<TurnOutcome> {
  const { from, onPart, signal } = waiting
  const { session, to } = conversation
  try {
    // Answers are buffered; what is told beside them is told as it comes.
    const reader = onPart === undefined ? to : { ...to, deliveryClass: 'streaming' as const }
    const frames = context.sessions.follow(session, reader, from === undefined ? undefined : { from }, signal)
    const outcome = await outcomeIn(frames, conversation, waiting, context)
    if (outcome !== undefined) return outcome
  } catch (error) {
    if (!signal.aborted || isBeachError(error)) throw error
  }
  throw signal.aborted ? signal.reason : new BeachError('INTERNAL', 'The session was no longer told of.')
}

/** What a turn has come to by these frames; undefined when it is still under way at their end. */
export async function outcomeIn(
  frames: AsyncIterable<Frame> | Iterable<Frame>,
  { session, to, principal }: Conversation,
  { begins, seen = 0, onPart }: Pick<Waiting, 'begins' | 'seen' | 'onPart'>,
  { sessions, runtime }: { readonly sessions: OutcomeSessions; readonly runtime: Pick<Runtime, 'clock'> },
): Promise<TurnOutcome | undefined> {
  const parts = new Map<string, Part>()
  let turnId: string | undefined
  let place = 0
  for await (const frame of frames) {
    if (turnId === undefined && begins(frame)) turnId = turnOf(frame)
    if (frame.cursor !== undefined) place = Math.max(place, Number(frame.cursor))
    if (turnId === undefined || turnOf(frame) !== turnId) continue
    if (frame.kind === 'part') {
      parts.set(frame.partId, frame.part)
      if (place > seen) await onPart?.(frame.part)
    } else if (frame.kind === 'settled') {
      const envelope = await sessions.envelope(session, turnId, to, place)
      if (envelope !== undefined) return { envelope, pending: [], seen: place }
    } else if (frame.kind === 'turn' && frame.turnState === 'suspended') {
      const { turn } = await sessions.view(session, principal)
      // It may have been decided since; then more is on its way.
      const pending = turn?.turnId === turnId ? turn.pendingApprovals : []
      if (pending.length > 0) {
        const envelope = openEnvelope([...parts.values()], { session, turnId, at: runtime.clock.now() })
        return { envelope, pending, seen: place }
      }
    }
  }
  return undefined
}

function turnOf(frame: Frame): string | undefined {
  return frame.turnId
}

/** What has been said so far in a turn that is not over. */
function openEnvelope(parts: readonly Part[], place: { session: string; turnId: string; at: number }): Envelope {
  const { session: sessionId, turnId, at } = place
  return {
    role: 'agent',
    parts,
    meta: { sessionId, turnId, producedAt: new Date(at).toISOString(), turnState: 'suspended' },
  }
}
