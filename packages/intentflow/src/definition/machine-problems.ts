import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { flowLimits } from '../schemas/limits.ts'

/** What XState does by itself, within a transition and without anything running. */
const pure = new Set(['xstate.assign', 'xstate.raise', 'xstate.enqueueActions', 'xstate.log'])

/** What keeps a machine from being a flow's, one sentence each. */
export function* machineProblems(machine: AnyStateMachine): Generator<string> {
  const { root } = machine
  const nodes = Object.values(root.states)
  if (nodes.length === 0) yield 'its machine has no states.'
  else if (root.type === 'parallel') yield 'its machine is parallel; a flow is in one state at a time.'
  if (machine.config.output !== undefined)
    yield 'its machine has an output; the context of a final state is its result.'
  yield* nodeProblems(machine, root, 'its machine')
  for (const node of nodes) yield* stateProblems(machine, node)
}

function* stateProblems(machine: AnyStateMachine, node: AnyStateNode): Generator<string> {
  const name = `its state ${node.key}`
  if (Object.keys(node.states).length > 0) yield `${name} has states inside it; write them beside each other.`
  if (node.type === 'history') yield `${name} is a history state, which only nested states need.`
  if (node.key.length > flowLimits.idLength) yield `${name} has a name of more than ${flowLimits.idLength} characters.`
  yield* nodeProblems(machine, node, name)
  const followUp: unknown = (node.meta as { followUp?: unknown } | undefined)?.followUp
  if (followUp !== undefined && typeof (followUp as { intentId?: unknown }).intentId !== 'string') {
    yield `the followUp of ${name} needs an intentId.`
  }
}

function* nodeProblems(machine: AnyStateMachine, node: AnyStateNode, name: string): Generator<string> {
  const instead = 'put what is to run into an event handler or a watch.'
  if (node.config.invoke !== undefined) yield `${name} invokes something, which would not run: ${instead}`
  if (node.config.after !== undefined)
    yield `${name} waits for time to pass, which nothing would wake it for: ${instead}`
  const actions = [node.entry, node.exit, ...[...node.transitions.values()].flat().map((each) => each.actions)].flat()
  for (const each of node.always ?? []) actions.push(...each.actions)
  for (const action of actions) {
    const problem = actionProblem(machine, action)
    if (problem !== undefined) yield `${name} has the action ${problem}: ${instead}`
  }
}

function actionProblem(machine: AnyStateMachine, action: unknown): string | undefined {
  const named = typeof action === 'string' ? action : typeName(action)
  const provided: unknown = named === undefined ? undefined : machine.implementations.actions[named]
  const resolved = typeof action === 'function' ? action : provided
  if (resolved === undefined) return `"${named ?? 'unknown'}", which the machine does not provide`
  if (typeof resolved !== 'function') return actionProblem(machine, resolved)
  const type = typeName(resolved)
  if (type === undefined || !pure.has(type)) return `"${named ?? type ?? 'anonymous'}", which would not run`
  return type === 'xstate.raise' && Reflect.get(resolved, 'delay') !== undefined
    ? 'raise with a delay, which would not run'
    : undefined
}

function typeName(action: unknown): string | undefined {
  const type: unknown =
    typeof action === 'object' || typeof action === 'function' ? Reflect.get(action ?? {}, 'type') : undefined
  return typeof type === 'string' ? type : undefined
}
