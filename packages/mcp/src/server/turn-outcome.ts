import {
  BeachError,
  isBeachError,
  type Envelope,
  type Frame,
  type Originator,
  type Part,
  type Principal,
  type Runtime,
  type SessionView,
} from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { AskContext, Asking } from './ask-tool.ts'
import { partProgress } from './call-progress.ts'
import type { Conversation } from './conversations.ts'

/** What a turn has come to: an answer, or a wait for a decision. */
export interface TurnOutcome {
  readonly envelope: Envelope
  /** How its approvals were closed so far: by which channel, and when. */
  readonly decisions?: readonly MadeDecision[]
  /** The approvals that it waits for; empty once it is settled. */
  readonly pending: readonly string[]
  readonly seen: number
  /** True when it is another turn that waits: the one that was asked for begins only after it. */
  readonly isOther?: boolean
}

type DecisionFrame = Extract<Frame, { kind: 'decision' }>

interface MadeDecision extends Pick<DecisionFrame, 'approvalId' | 'outcome' | 'by' | 'via'> {
  readonly at: string
}

/** Where a call's turn begins. */
export interface CallStart {
  /** Says whether a frame begins the turn that is waited for. */
  readonly begins: (frame: Frame) => boolean
  /** The seq from which on to read; the last turns when left out. */
  readonly from?: number | undefined
  /** Up to here everything was seen before, and is not told again. */
  readonly seen?: number
  /** Called when another turn is suspended before this one has begun; what it gives is the outcome. */
  readonly onSuspended?: () => Promise<TurnOutcome | undefined>
}

/** What an outcome needs to know of its session besides the frames. */
export interface OutcomeSessions {
  envelope(session: string, turn: string, to: Originator, atLeast?: number): Promise<Envelope | undefined>
  view(session: string, by: Principal): Promise<Pick<SessionView, 'turn'>>
}

/** Waits for a call's turn, for as long as the answer is wanted, and tells of what is said on the way. */
export async function outcomeOf(place: CallStart, asking: Asking): Promise<TurnOutcome> {
  const { conversationId } = asking.conversation
  const outcome = await outcomeWithin(asking.askContext.maxCallMs, place, asking)
  if (outcome !== undefined) return outcome
  throw asking.askContext.ending().aborted ? stopping(conversationId) : tooLong(conversationId)
}

/** The same for at most so long; undefined when the turn is still under way then, or when the agent stops. */
export async function outcomeWithin(
  ms: number,
  place: CallStart,
  { conversation, call, askContext }: Asking,
): Promise<TurnOutcome | undefined> {
  const { runtime, partTypes } = askContext
  const { session, principal, to } = conversation
  const sessions = askContext.sessions()
  const { signal: caller } = call.context.mcpReq
  const ending = askContext.ending()
  const end = new AbortController()
  // Cheaper than a composite signal, and with reasons that cost nothing.
  const stop = () => end.abort()
  const cancel = () => end.abort(cancelled)
  ending.addEventListener('abort', stop, { once: true })
  caller.addEventListener('abort', cancel, { once: true })
  if (ending.aborted) stop()
  if (caller.aborted) cancel()
  const cancelTimer = runtime.clock.timer(ms, stop)
  const onPart = partProgress(call.context, partTypes)
  let turnId: string | undefined
  const begins = (frame: Frame) => {
    const isIt = place.begins(frame)
    if (isIt) turnId = frame.turnId
    return isIt
  }
  try {
    // Answers are buffered; what is told next to them is told as it comes.
    const reader = onPart === undefined ? to : { ...to, deliveryClass: 'streaming' as const }
    const from = place.from === undefined ? undefined : { from: place.from }
    const frames = sessions.follow(session, reader, from, end.signal)
    const read = { ...place, begins, onPart }
    const outcome = await outcomeIn(frames, conversation, read, { sessions, runtime })
    if (outcome !== undefined) return outcome
    if (!end.signal.aborted) throw new BeachError('INTERNAL', 'The session was no longer told of.')
  } catch (error) {
    if (!end.signal.aborted || isBeachError(error)) throw error
  } finally {
    cancelTimer()
    ending.removeEventListener('abort', stop)
    caller.removeEventListener('abort', cancel)
  }
  if (end.signal.reason !== cancelled) return undefined
  // The caller has gone; when it is the agent that stops, the turn goes on in its next process.
  if (!ending.aborted && turnId !== undefined) await sessions.cancel(session, turnId, principal)
  throw cancelled
}

/** The turn that waits for an approval in this conversation, if there is one and it is not the turn of this message. */
export async function openApproval(
  conversation: Conversation,
  { sessions: get, runtime }: Pick<AskContext, 'sessions' | 'runtime'>,
  messageId?: string,
): Promise<TurnOutcome | undefined> {
  const sessions = get()
  const { session, principal, to } = conversation
  const { turn } = await sessions.view(session, principal)
  if (turn === undefined || turn.pendingApprovals.length === 0) return undefined
  let isOwn = false
  const begins = (frame: Frame) => {
    isOwn ||= messageId !== undefined && startsWith(frame, messageId)
    return frame.turnId === turn.turnId
  }
  const outcome = await outcomeIn(sessions.history(session, to), conversation, { begins }, { sessions, runtime })
  return isOwn || outcome === undefined || outcome.pending.length === 0 ? undefined : { ...outcome, isOther: true }
}

/** True for the frame that begins the turn of a message. */
export function startsWith(frame: Frame, messageId: string): boolean {
  return frame.kind === 'turn' && frame.messageIds?.includes(messageId) === true
}

interface OutcomeReading extends CallStart {
  readonly onPart?: ((part: Part) => Promise<void>) | undefined
}

/** What a turn has come to by these frames; undefined when it is still under way at their end. */
export async function outcomeIn(
  frames: AsyncIterable<Frame> | Iterable<Frame>,
  { session, to, principal }: Conversation,
  { begins, seen = 0, onPart, onSuspended }: OutcomeReading,
  { sessions, runtime }: { readonly sessions: OutcomeSessions; readonly runtime: Pick<Runtime, 'clock'> },
): Promise<TurnOutcome | undefined> {
  const parts = new Map<string, Part>()
  const decisions: MadeDecision[] = []
  let turnId: string | undefined
  let place = 0
  for await (const frame of frames) {
    if (turnId === undefined && begins(frame)) turnId = frame.turnId
    if (frame.cursor !== undefined) place = Math.max(place, Number(frame.cursor))
    if (turnId === undefined && frame.kind === 'turn' && frame.turnState === 'suspended') {
      const outcome = await onSuspended?.()
      if (outcome !== undefined) return outcome
    }
    if (turnId === undefined || frame.turnId !== turnId) continue
    if (frame.kind === 'part') {
      parts.set(frame.partId, frame.part)
      if (place > seen) await onPart?.(frame.part)
    } else if (frame.kind === 'decision') {
      const { approvalId, outcome, by, via, at } = frame
      decisions.push(defined({ approvalId, outcome, by, via, at: new Date(at).toISOString() }))
    } else if (frame.kind === 'settled') {
      const envelope = await sessions.envelope(session, turnId, to, place)
      if (envelope !== undefined) return { envelope, decisions, pending: [], seen: place }
    } else if (frame.kind === 'turn' && frame.turnState === 'suspended') {
      const { turn } = await sessions.view(session, principal)
      // It may have been decided since; then more is on its way.
      const pending = turn?.turnId === turnId ? turn.pendingApprovals : []
      if (pending.length > 0) {
        const envelope = openEnvelope([...parts.values()], { session, turnId, at: runtime.clock.now() })
        return { envelope, decisions, pending, seen: place }
      }
    }
  }
  return undefined
}

/** The envelope of a turn that waits for a decision, as far as it goes. */
export function openEnvelope(parts: readonly Part[], place: { session: string; turnId: string; at: number }): Envelope {
  const { session: sessionId, turnId, at } = place
  return {
    role: 'agent',
    parts,
    meta: { sessionId, turnId, producedAt: new Date(at).toISOString(), turnState: 'suspended' },
  }
}

const cancelled = new BeachError('CANCELLED', 'The call was cancelled before there was an answer.')

function stopping(conversationId: string): BeachError {
  const message = `The agent is stopping. The conversation "${conversationId}" goes on when it is back.`
  return new BeachError('CANCELLED', message)
}

function tooLong(conversationId: string): BeachError {
  const message = `The agent still works on this. Read the conversation "${conversationId}" as a resource later.`
  return new BeachError('TIMEOUT', message)
}
