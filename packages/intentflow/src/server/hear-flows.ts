import type { HearContext, HearOutcome } from '@cool-ai/beach-core/ports'
import type { FlowRules } from './flow-rules.ts'
import type { FlowsState } from './flows-state.ts'
import { Moves } from './moves.ts'
import { isOwnInput } from './own-input.ts'
import { takeOwnInput } from './take-own-input.ts'
import { takeSaid } from './take-said.ts'
import { Writing } from './writing.ts'

/** What something that is said of flows leads to, by a client or by the program itself. */
export function hearFlows(state: FlowsState, said: unknown, context: HearContext, rules: FlowRules): HearOutcome {
  // Flows belong to their owner, whatever the caller: it is the owner who can have them erased.
  const owner = state.owner ?? context.by
  const moves = new Moves(new Writing({ ...state, owner }, { ...context, by: owner }), rules)
  if (isOwnInput(said)) return takeOwnInput(moves, said.request, context)
  return takeSaid(moves, said, context.by)
}
