import type { AuthoredPart } from '../part.ts'
import type { Decision, Message, SessionView } from './sessions.ts'

/** Text of the open step, as it grows. It is shown at once and becomes durable when the step commits. */
export interface LiveText {
  /** The place of the part in its step. */
  readonly index: number
  readonly partType: string
  readonly delta: string
}

/** A complete step: what one model message, or one `respond()` of a function actor, adds to the log. */
export interface Step {
  readonly turnState: string
  readonly parts: readonly AuthoredPart[]
  /** The actor to hand over to; only with the turn state `passed`. */
  readonly passTo?: string
  /** Identifies the step's input; a re-run must produce the same. */
  readonly hash: string
  /** What the actor needs to go on from here after a restart, such as the model's own message. */
  readonly answer?: unknown
}

export interface ToolCall {
  readonly name: string
  readonly args: unknown
  /** True when running it twice with the same key does no harm. */
  readonly idempotent?: boolean
  /** True when somebody must grant it first: the turn is suspended until then, over restarts too. */
  readonly requiresApproval?: boolean
  /** When an approval that nobody gave counts as denied. */
  readonly approvalExpiresAt?: number
}

/**
 * What came of a tool call: `unknown` when the process died while it ran and it must not be run again, `denied` when it
 * needed an approval and did not get it.
 */
export type ToolOutcome<Value> =
  | { readonly outcome: 'ok'; readonly value: Value }
  | { readonly outcome: 'failed'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly reason: string }
  | { readonly outcome: 'denied'; readonly reason: string }

/** How an actor reaches the log: it sees messages and a session, never a channel. */
export interface TurnContext {
  readonly view: SessionView
  readonly turnId: string
  /** The messages that this turn answers. */
  readonly messages: readonly Message[]
  /** Aborts when the turn is cancelled or this process may no longer run it. */
  readonly signal: AbortSignal
  /** Shows text of the open step now. */
  live(text: LiveText): void
  /** Takes back what `live` showed of the open step. */
  retract(): void
  /** Makes the open step durable and opens the next one. */
  commit(step: Step): Promise<void>
  /** The decisions on the turn's approvals that have been made. */
  readonly decisions: ReadonlyMap<string, Decision>
  /** The steps of this turn that are already in the log, oldest first. */
  readonly committed: readonly CommittedStep[]
  /** Runs a tool at most once per turn and position, unless it is idempotent; answered from the log when it has run. */
  tool<Value>(call: ToolCall, run: (key: string, signal: AbortSignal) => Promise<Value>): Promise<ToolOutcome<Value>>
}

export interface CommittedStep {
  readonly step: number
  readonly hash: string
  readonly turnState: string
  readonly answer?: unknown
}

/** Whoever answers. `run` ends when the turn is settled, or throws, which settles it as an error. */
export interface Actor {
  run(turn: TurnContext): Promise<void>
}
