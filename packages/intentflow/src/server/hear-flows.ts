import type { HearContext, HearOutcome, Principal } from '@cool-ai/beach-core'
import type { FlowRules } from './flow-rules.ts'
import type { FlowsState } from './flows-state.ts'
import { Moves } from './moves.ts'
import { isOwnInput } from './own-input.ts'
import { takeOwnInput } from './take-own-input.ts'
import { takeSaid } from './take-said.ts'
import { Writing } from './writing.ts'

/** What something that is said of flows leads to, by a client or by the program itself. */
export function hearFlows(state: FlowsState, said: unknown, context: HearContext, rules: FlowRules): HearOutcome {
  const moves = new Moves(new Writing(withOwner(state, context.by), context), rules)
  if (isOwnInput(said)) return takeOwnInput(moves, said.request, context)
  return takeSaid(moves, said, context.by)
}

/** The session may be opened by this very thing that is said. */
function withOwner(state: FlowsState, by: Principal): FlowsState {
  return state.owner === undefined ? { ...state, owner: by } : state
}
