import type { HandleContext, HandleOutcome } from '@cool-ai/beach-core/ports'
import type { FlowRules } from './flow-rules.ts'
import type { FlowsState } from './flows-state.ts'
import { InstanceChanges } from './instance-changes.ts'
import { isOwnInput } from './own-input.ts'
import { takeOwnInput } from './take-own-input.ts'
import { handleClientRequest } from './handle-client-request.ts'
import { EventBatch } from './event-batch.ts'

/** What something that is said of flows leads to, by a client or by the program itself. */
export function handleFlows(state: FlowsState, said: unknown, context: HandleContext, rules: FlowRules): HandleOutcome {
  // Flows belong to their owner, whatever the caller: it is the owner who can have them erased.
  const owner = state.owner ?? context.by
  const moves = new InstanceChanges(new EventBatch({ ...state, owner }, { ...context, by: owner }), rules)
  if (isOwnInput(said)) return takeOwnInput(moves, said.request, context)
  return handleClientRequest(moves, said, context.by)
}
