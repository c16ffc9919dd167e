import type { Part, TurnState } from '@cool-ai/beach-core'

/** A call of `respond()` that may be acted on; its parts are in wire form. */
export interface RespondCall {
  readonly turnState: TurnState
  /** The actor that the turn is handed to; there exactly when the turn state is `passed`. */
  readonly passTo?: string
  readonly parts: readonly Part[]
  /** For logs only; no listener gets it. */
  readonly note?: string
  /** The tool call whose approval it asks for; there only with the turn state `suspended`. */
  readonly approval?: AskedApproval
  /** Parts that were wrong and that the call can do without; they are not among `parts`. */
  readonly dropped?: readonly DroppedPart[]
}

/** A tool call that is to be approved before it runs. */
export interface AskedApproval {
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A part of a call that is left out. */
export interface DroppedPart {
  readonly partType: string
  readonly problems: readonly string[]
}
