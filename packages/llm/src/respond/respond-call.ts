import type { Part } from '@cool-ai/beach-core'

/** A call of `respond()` that may be acted on; its parts are in wire form. */
export interface RespondCall {
  readonly turnState: string
  /** The actor that the turn is handed to; there exactly when the turn state is `passed`. */
  readonly passTo?: string
  readonly parts: readonly Part[]
  /** For logs only; no listener gets it. */
  readonly note?: string
}
