import type { EffectRun } from '@cool-ai/beach-core/ports'
import type { Cause } from './flow-input.ts'
import type { InstanceChanges } from './instance-changes.ts'
import { updateProps } from './update-props.ts'
import { ownCause, stateOf, write, type FlowRunContext } from './work-run.ts'

/** Runs the watch of an instance while the instance is open; one that ends by itself is not run again. */
export async function runWatch(instanceId: string, context: FlowRunContext, run: EffectRun): Promise<void> {
  const instance = (await stateOf(context, run)).flows[instanceId]
  const watch = instance === undefined ? undefined : context.rules.watchOf(instance)
  if (instance === undefined || watch === undefined) return
  const change = (what: (moves: InstanceChanges, cause: Cause) => void) =>
    write(context, run, (moves, state) => {
      if (state.flows[instanceId] !== undefined) what(moves, ownCause(moves, state))
    })
  await watch(
    { ...instance, instanceId },
    {
      session: run.session,
      signal: run.signal,
      update: (given) => change((moves, cause) => updateProps(moves, instanceId, given, cause)),
      send: (event, payload) =>
        change((moves, cause) => {
          const checked = moves.rules.payloadOf(moves.rules.definitionOf(moves.instance(instanceId)), event, payload)
          moves.move(instanceId, { event, ...(checked && { payload: checked }) }, cause)
        }),
    },
  )
  await change((moves) => moves.writing.note({ watched: instanceId }))
}
