import type { Decision } from '@cool-ai/beach-core'
import type { Decided } from '@cool-ai/beach-core/ports'
import type { MadeDecision } from './decisions.ts'
import type { ApprovalEntry } from '../turn/turn-slice.ts'

/** What became of a decision; `mismatch` when its key was used for another one. */
export type DecisionOutcome = Decided | 'mismatch'

/** A decision of before, as far as it must be known. */
type EarlierDecision = Pick<Decision, 'dedupeKey'> & Pick<ApprovalEntry, 'approvalId' | 'decision'>

/** What becomes of a decision whose key was used before; undefined when it was not. */
export function repeatedDecision(
  before: readonly EarlierDecision[],
  approvalId: string,
  { decision, dedupeKey }: MadeDecision,
): 'decided' | 'mismatch' | undefined {
  const same = dedupeKey === undefined ? undefined : before.find((entry) => entry.dedupeKey === dedupeKey)
  if (same === undefined) return undefined
  return same.approvalId === approvalId && same.decision === decision ? 'decided' : 'mismatch'
}
