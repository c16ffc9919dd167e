import type { EventDraft, SessionEvent } from '../events.ts'
import type { Inbound } from './sessions.ts'

/**
 * Work that follows from a slice's state and is run by the session's host, beside the turn and at least once. Its
 * failures are events too: one that throws is tried again only when the session is next claimed.
 */
export interface Effect {
  /** Stable for the same work, so that it is not started twice by one host. */
  readonly key: string
  run(signal: AbortSignal): Promise<EventDraft[]>
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
  effects?(state: State): Effect[]
  /** When the host must look again, if nothing else happens before. */
  nextWakeAt?(state: State): number | undefined
}
