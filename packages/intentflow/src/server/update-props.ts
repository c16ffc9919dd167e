import type { PropsChange } from '../definition/event-handlers.ts'
import { FlowError } from '../schemas/flow-error.ts'
import { flowLimits, recordProblem } from '../schemas/json-problem.ts'
import { propsUpdatePayloadSchema, type PropsUpdatePayload } from '../schemas/server-payloads.ts'
import { applyOperations, normalizeOperations } from '../state/operations.ts'
import type { Cause } from './event-batch.ts'
import type { InstanceChanges } from './instance-changes.ts'

/** Changes the props, if what comes of it still is what the flow's schema allows; nothing is written otherwise. */
export function updateProps(moves: InstanceChanges, instanceId: string, change: PropsChange, cause: Cause): void {
  const instance = moves.instance(instanceId)
  const shape = propsUpdatePayloadSchema.safeParse({ instanceId, ...change })
  if (!shape.success) throw new FlowError('INVALID_PAYLOAD', shape.error, { instanceId })
  const { patch, operations } = shape.data
  const wire =
    operations === undefined ? { patch: patch ?? {} } : { operations: normalizeOperations(instance.props, operations) }
  const props =
    'patch' in wire ? { ...instance.props, ...wire.patch } : applyOperations(instance.props, wire.operations)
  const problem =
    recordProblem(props, flowLimits.propsBytes) ??
    moves.rules.propsProblem(moves.rules.definitionOf(instance), instance, props)
  if (problem !== undefined) {
    throw new FlowError('INVALID_PROPS', `The changed props do not fit the flow: ${problem}`, { instanceId })
  }
  const value: PropsUpdatePayload = { ...moves.stamp(instanceId, instance, cause), ...wire }
  moves.writing.show({ type: 'CUSTOM', name: 'intentflow.props_update', value })
}
