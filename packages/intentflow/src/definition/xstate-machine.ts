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
import { jsonProblem, plainJson, sameJson } from '../schemas/json-problem.ts'
import { flowLimits } from '../schemas/limits.ts'
import { followUpSchema, type FollowUp } from '../schemas/server-payloads.ts'
import type { FlowMachine, FollowUpData, MachineEvent } from './flow-machine.ts'
import { machineProblems } from './machine-problems.ts'

/** Events by which a parent is told of its children begin with this; they are the server's, and need no declaration. */
export const childEvents = 'child.'

/** A child has come to its end; its final state follows. */
export const childDone = 'child.done.'

type Context = Readonly<Record<string, unknown>>

/**
 * A machine of XState as functions of what is stored. Its guards and assignments must be pure: an event may be tried
 * again on a newer state. What would run beside it is refused; handlers and watches are for that.
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
