import type { EventDraft, SessionState } from '@cool-ai/beach-core/log'
import { decideApproval, type DecisionPolicy } from './approvals.ts'
import type { MadeDecision } from './decisions.ts'
import { repeatedDecision, type DecisionOutcome } from './repeated-decision.ts'

/** What decisions that come together come to: the first that counts is written, the others are told. */
export function decideBatch(
  state: SessionState,
  approvalId: string,
  batch: readonly MadeDecision[],
  policy: DecisionPolicy,
): { readonly outcomes: ReadonlyMap<MadeDecision, DecisionOutcome>; readonly drafts: EventDraft[] } {
  const outcomes = new Map<MadeDecision, DecisionOutcome>()
  let written: { readonly by: MadeDecision; readonly drafts: EventDraft[] } | undefined
  for (const made of batch) {
    const { decided, drafts } = decideApproval(state, approvalId, made, policy)
    if (drafts.length === 0) outcomes.set(made, decided)
    else if (written === undefined) {
      outcomes.set(made, decided)
      written = { by: made, drafts }
    } else outcomes.set(made, repeatedDecision([{ ...written.by, approvalId }], approvalId, made) ?? 'already')
  }
  return { outcomes, drafts: written?.drafts ?? [] }
}
