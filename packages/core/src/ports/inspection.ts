import type { DeliveryClass } from '../originator.ts'
import type { Part } from '../part.ts'
import type { Principal } from '../principal.ts'
import type { DeliveryDecision } from '../registries/delivery-rules.ts'

/** A part of a turn on its way to one listener: the decision of the delivery table, and the row that made it. */
export interface ExplainedPart {
  readonly partId: string
  readonly partType: string
  readonly decision: DeliveryDecision
  /** The name of the row, such as `class-rule`. */
  readonly row: string
  /** The row in words. */
  readonly because: string
}

/** What one originator gets of a turn. */
export interface ListenerTurn {
  readonly originatorId: string
  readonly transport: string
  readonly deliveryClass: DeliveryClass
  /** `push` for one that answers are sent to; `pull` for one that reads the session's stream. */
  readonly way: 'push' | 'pull'
  /** False when nothing of the turn is for it, and why. */
  readonly isRecipient: boolean
  readonly because?: string | undefined
  /** Every part that the turn has produced, with its decision. */
  readonly parts: readonly ExplainedPart[]
  /** What it gets of the settled turn, made by the code that sends it; absent before the turn has settled. */
  readonly envelope?: readonly Part[] | undefined
}

/** The state of every slice before and after one event. */
export interface FoldedAround {
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}

/** What operators can look up of a session beyond its log. A session of another tenant is not found. */
export interface Inspection {
  /** The fold of the log right before and right after the event of a seq; undefined when there is no such event. */
  foldAround(session: string, seq: number, by: Principal): Promise<FoldedAround | undefined>
  /** What each originator gets of a turn whose first message has this seq; undefined when there is no such turn. */
  turnListeners(
    session: string,
    turn: string,
    since: number,
    by: Principal,
  ): Promise<readonly ListenerTurn[] | undefined>
}
