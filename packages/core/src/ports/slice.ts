import type { EventDraft, LoggedEvent, SessionEvent } from '../events.ts'
import type { SessionState } from '../session-log.ts'
import type { Inbound } from './sessions.ts'

/** What an effect is given while it runs. */
export interface EffectRun {
  readonly session: string
  /** Aborts when the state no longer asks for the effect, or this host may no longer run it. */
  readonly signal: AbortSignal
  /** Writes what happened; it decides on the state, since another host may have been quicker. */
  readonly commit: (decide: (state: SessionState) => EventDraft[]) => Promise<readonly LoggedEvent[]>
}

/**
 * Work that follows from a slice's state and is run by the session's host, beside the turn and at least once, for as
 * long as the state asks for it. Its failures are events too: one that throws is tried again after a while.
 */
export interface Effect {
  /** Stable for the same work, so that it is not started twice by one host. */
  readonly key: string
  /** How long it may go on when its host shuts down, for what should not be cut in the middle; otherwise not at all. */
  readonly graceMs?: number
  run(run: EffectRun): Promise<void>
}

/**
 * A piece of session state with its own fold: the one mechanism behind mailboxes, approvals, manifests and flows.
 * `fold` is pure, accepts erased payloads and unknown events, and returns plain JSON.
 */
export interface Slice<State> {
  readonly ns: string
  /** Raised whenever the fold changes; snapshots of another version are folded anew. */
  readonly version: number
  readonly initial: State
  fold(state: State, event: SessionEvent, seq: number): State
  /** Events that an inbound message addressed to this slice leads to. */
  decide?(state: State, inbound: Inbound): EventDraft[]
  /** The work that is to be done now. */
  effects?(state: State, now: number): Effect[]
  /** The earliest time later than `after` at which the host must look again, if nothing else happens before. */
  nextWakeAt?(state: State, after: number): number | undefined
}
