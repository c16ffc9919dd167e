import type { EventDraft, LoggedEvent, SessionEvent } from '../events.ts'
import type { Part } from '../part.ts'
import type { Principal } from '../principal.ts'
import type { SessionState } from '../session-log.ts'
import type { Inbound } from './sessions.ts'

/** What an effect gets while it runs. */
export interface EffectRun {
  readonly session: string
  /** Aborts when the state no longer asks for the effect, or this host may no longer run it. */
  readonly signal: AbortSignal
  /** Appends what happened; it decides on the folded state, since another host may have been quicker. */
  readonly commit: (decide: (state: SessionState) => EventDraft[]) => Promise<readonly LoggedEvent[]>
}

/**
 * Work that follows from a slice's state. The session's host runs it in parallel to the turn and at least once, for as
 * long as the state asks for it. Its failures are events too: an effect that throws is tried again after a while.
 */
export interface Effect {
  /** Stable for the same work, so that it is not started twice by one host. */
  readonly key: string
  /**
   * How long it may go on when its host shuts down, for work that should not be interrupted; not at all when left out.
   */
  readonly graceMs?: number | undefined
  run(run: EffectRun): Promise<void>
}

/** What a slice gets together with its input. */
export interface HandleContext {
  readonly session: string
  readonly by: Principal
  readonly now: number
  readonly id: (prefix: string) => string
}

/** A slice's reply to its caller. */
export interface SliceReply {
  /** Plain JSON. */
  readonly answer?: unknown
  /** The ids of what is not done yet: an event of the slice `answers` each of them in the end. */
  readonly awaits?: readonly string[]
  /** True when the caller wants to keep listening. */
  readonly stays?: boolean
  /** Shown to the caller, and not stored. */
  readonly parts?: readonly Part[]
}

/** What an input to a slice leads to. */
export interface HandleOutcome {
  readonly drafts: readonly EventDraft[]
  readonly reply: SliceReply
  /** True when the session's host must look at once: there is work, or a time to wake up at. */
  readonly wakes?: boolean
}

/** Something that a slice needs to know from people before it goes on. */
export interface InputRequest {
  readonly id: string
  readonly reason: string
  readonly message?: string | undefined
  /** The JSON Schema of an answer. */
  readonly responseSchema?: Readonly<Record<string, unknown>> | undefined
  /** ISO 8601. */
  readonly expiresAt?: string | undefined
}

/**
 * A piece of session state with its own fold: the one mechanism behind mailboxes, approvals, manifests and flows.
 * `fold` is pure, accepts erased payloads and unknown events, and returns plain JSON.
 */
export interface Slice<State> {
  readonly ns: string
  /** Raised whenever the fold changes; snapshots of another version are folded anew. */
  readonly version: number
  /** What it is before anything has happened: there is no work in it, and no time to wake up at. */
  readonly initial: State
  /** The types of events that `fold` looks at; all when left out. It is not called for others. */
  readonly folds?: readonly SessionEvent['type'][] | undefined
  fold(state: State, event: SessionEvent, seq: number): State
  /** Events that an inbound message addressed to this slice leads to. */
  decide?(state: State, inbound: Inbound): EventDraft[]
  /**
   * Handles input that is for this slice alone and is no message: it begins no turn. It may be called again when the
   * log has moved on meanwhile, so it changes nothing itself; an error that it throws is an answer too. Clients repeat
   * input when they do not know whether it arrived: input that must not take effect twice needs an id by which the
   * slice knows it.
   */
  handle?(state: State, said: unknown, context: HandleContext): HandleOutcome
  /** What listeners are shown of it, by name, besides the coordinates; the parts of its events change it. */
  shown?(state: State): Readonly<Record<string, unknown>>
  /** What it waits for people to answer, by `handle`. */
  inputRequests?(state: State): readonly InputRequest[]
  /** Since when the slice needs messages: data that is too old is kept from then on. Undefined when it needs none. */
  neededSince?(state: State): number | undefined
  /** The work to be done now. */
  effects?(state: State, now: number): Effect[]
  /** The earliest time later than `after` at which the host must look again, if nothing else happens before. */
  nextWakeAt?(state: State, after: number, now: number): number | undefined
}
