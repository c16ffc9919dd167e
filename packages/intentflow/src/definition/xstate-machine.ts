import type { BeachError } from '@cool-ai/beach-core'
import {
  createMachine,
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
} from 'xstate'
import { FlowError } from '../schemas/flow-error.ts'
import { jsonProblem, plainJson, sameJson, flowLimits } from '../schemas/json-problem.ts'
import { followUpSchema, type FollowUp } from '../schemas/server-payloads.ts'
import type { FlowMachine, FollowUpData, MachineEvent } from './flow.ts'

/** Events by which a parent is told of its children begin with this; they are the server's, and need no declaration. */
export const childEvents = 'child.'

/** A child has come to its end; its final state follows. */
export const childDone = 'child.done.'

type Context = Readonly<Record<string, unknown>>

/**
 * A machine of XState as functions of what is stored. Its guards and assignments must be pure: an event may be tried
 * again on a newer state. What would run in parallel to it is refused; handlers and watches are for that.
 */
export function flowMachine(given: AnyStateMachine, refuse: (problem: string) => BeachError): FlowMachine {
  for (const problem of machineProblems(given)) throw refuse(problem)
  const machine = withInput(given)
  const nodes = new Map(Object.entries(machine.root.states))
  const events = new Map([...nodes].map(([name, node]) => [name, eventsOf(node)]))
  // A place differs from another of its state by its context only.
  const snapshots = new Map(
    [...nodes].flatMap(([name, node]) =>
      node.type === 'final' ? [] : [[name, machine.resolveState({ value: name, context: {} })] as const],
    ),
  )
  return {
    states: [...nodes.keys()],
    allEvents: [...new Set([...events.values()].flat())],
    initial: (context = {}) => placeOf(machine, () => initialTransition(machine, context), {}),
    next(state, context, event) {
      const target = plainTarget(nodes.get(state), event.type)
      if (target !== undefined) return { state: target, context, changed: target !== state }
      return next(machine, snapshots.get(state), context, event)
    },
    events: (state) => events.get(state) ?? [],
    isFinal: (state) => nodes.get(state)?.type === 'final',
    followUp: (state, data) => followUpOf(nodes.get(state), data),
  }
}

/** The same machine, whose input is laid over its own context. */
function withInput(given: AnyStateMachine): AnyStateMachine {
  const own: unknown = given.config.context
  const contextOf = typeof own === 'function' ? (own as (args: unknown) => Context) : () => (own ?? {}) as Context
  return createMachine(
    {
      ...given.config,
      context: (args: { input: Context }) => ({ ...contextOf(args), ...args.input }),
    },
    given.implementations as Parameters<typeof createMachine>[1],
  )
}

function eventsOf(node: AnyStateNode): string[] {
  if (node.type === 'final') return []
  return [...new Set([...node.ownEvents, ...(node.parent?.ownEvents ?? [])])].filter((name) => name !== '')
}

/** Where an event leads for sure, when nothing is asked, assigned or gone on with on the way; undefined otherwise. */
function plainTarget(node: AnyStateNode | undefined, event: string): string | undefined {
  if (node === undefined || node.type === 'final' || !isBare(node.exit)) return undefined
  const [only, ...others] = node.transitions.get(event) ?? []
  const [target, ...more] = only?.target ?? []
  if (only === undefined || target === undefined || others.length + more.length > 0) return undefined
  const isPlain = only.guard === undefined && isBare(only.actions) && isBare(target.entry)
  return isPlain && (target.always ?? []).length === 0 ? target.key : undefined
}

function isBare(actions: readonly unknown[]): boolean {
  return actions.length === 0
}

function next(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot | undefined,
  context: Context,
  { type, payload }: MachineEvent,
) {
  if (snapshot === undefined) return undefined
  const before: AnyMachineSnapshot = { ...snapshot, context }
  const event = { ...payload, payload: payload ?? {}, type }
  if (!guarded(machine, () => before.can(event))) return undefined
  const after = placeOf(machine, () => transition(machine, before, event), context)
  return { ...after, changed: after.state !== snapshot.value || !sameJson(after.context, context) }
}

type TransitionResult = readonly [AnyMachineSnapshot, readonly { readonly type: string; readonly params: unknown }[]]

function placeOf(
  machine: AnyStateMachine,
  run: () => TransitionResult,
  before: Context,
): { state: string; context: Context } {
  const [snapshot, actions] = guarded(machine, run)
  const context = contextAfter(snapshot.context as Context, before)
  const problem = jsonProblem(context, flowLimits.contextBytes)
  if (problem !== undefined) throw failed(machine, new Error(`Its context ${problem}.`))
  // What enqueueActions and assign start is seen only once they have run.
  const left = actions.find((action) => !isHarmless(action))?.type ?? Object.keys(snapshot.children)[0]
  if (left !== undefined) throw failed(machine, new Error(`It wants ${left} to run, which nothing here does.`))
  return { state: snapshot.value as string, context }
}

/** The context as it is stored. What was there and was taken back becomes null: what is sent is merged with it. */
function contextAfter(after: Context, before: Context): Context {
  const gone = Object.keys(before).filter((key) => after[key] === undefined)
  return { ...(plainJson(after) as Context), ...Object.fromEntries(gone.map((key) => [key, null])) }
}

function isHarmless({ type, params }: TransitionResult[1][number]): boolean {
  if (type === 'xstate.raise') return (params as { delay?: unknown } | undefined)?.delay === undefined
  return type === 'xstate.log'
}

function guarded<Value>(machine: AnyStateMachine, run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    throw failed(machine, error)
  }
}

function failed(machine: AnyStateMachine, error: unknown): FlowError {
  const cause = new Error(`The machine ${machine.id} failed.`, { cause: error })
  return new FlowError('INTERNAL_ERROR', undefined, { cause })
}

function followUpOf(node: AnyStateNode | undefined, data: FollowUpData): FollowUp | undefined {
  const given = (node?.meta as { followUp?: unknown } | undefined)?.followUp
  if (given === undefined) return undefined
  const { intentId, props } = given as { intentId: string; props?: Context | ((data: FollowUpData) => Context) }
  const made = typeof props === 'function' ? props(data) : props
  return followUpSchema.parse(made === undefined ? { intentId } : { intentId, props: made })
}

/** What XState does by itself, within a transition and without anything running. */
const pure = new Set(['xstate.assign', 'xstate.raise', 'xstate.enqueueActions', 'xstate.log'])

/** What keeps a machine from being a flow's, one sentence each. */
function* machineProblems(machine: AnyStateMachine): Generator<string> {
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
  if (Object.keys(node.states).length > 0) yield `${name} has states inside it; write them next to each other.`
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
