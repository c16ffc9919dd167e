import type { ActionPayload } from '../schemas/action-payload.ts'
import type { ErrorPayload } from '../schemas/server-payloads.ts'
import type { ActiveFlows, FlowInstance } from '../state/flow-instance.ts'
import type { FlowConnection } from './flow-connection.ts'
import type { Values } from '../schemas/json-problem.ts'

/** All that a view needs, at one moment; it never changes. What did not change is the same object as before. */
export interface FlowsSnapshot {
  /** The flows that are active, in the order in which they began; those of high priority last. */
  readonly flows: readonly ShownFlow[]
  readonly connection: FlowConnection
  /** How many events have no answer of the server yet. */
  readonly waiting: number
  /** Actions that the server has asked for and that are not done. */
  readonly actions: readonly ActionPayload[]
  /** The last error that was about no flow. */
  readonly error?: ErrorPayload | undefined
}

export interface SnapshotInput {
  readonly flows: ActiveFlows
  readonly expected: readonly Expected[]
  readonly errors: ReadonlyMap<string, ErrorPayload>
  readonly rest: Omit<FlowsSnapshot, 'flows'>
}

interface CachedView {
  readonly flow: FlowInstance
  readonly expected: readonly Expected[]
  readonly error: ErrorPayload | undefined
  readonly view: ShownFlow
}

/** Makes snapshots, and takes over what did not change. */
export function snapshotMaker(tables: OptimisticTables): (now: SnapshotInput) => FlowsSnapshot {
  let made = new Map<string, CachedView>()
  let last: FlowsSnapshot | undefined

  const make = (instanceId: string, flow: FlowInstance, { expected, errors }: SnapshotInput): CachedView => {
    const expectedHere = expected.filter((each) => each.instanceId === instanceId)
    const error = errors.get(instanceId)
    const before = made.get(instanceId)
    const isSame = before?.flow === flow && before.error === error && areSame(before.expected, expectedHere)
    return isSame
      ? before
      : { flow, expected: expectedHere, error, view: viewOf(instanceId, flow, expectedHere, tables, error) }
  }

  return (now) => {
    made = new Map(Object.entries(now.flows).map(([instanceId, flow]) => [instanceId, make(instanceId, flow, now)]))
    const views = [...made.values()].map(({ view }) => view).toSorted(inOrder)
    const flows = last !== undefined && areSame(last.flows, views) ? last.flows : views
    const next: FlowsSnapshot = { flows, ...now.rest }
    if (last === undefined || !areSame(membersOf(last), membersOf(next))) last = next
    return last
  }
}

function membersOf({ flows, connection, waiting, actions, error }: FlowsSnapshot): readonly unknown[] {
  return [flows, connection, waiting, actions, error]
}

function inOrder(one: ShownFlow, other: ShownFlow): number {
  const rank = ({ priority }: ShownFlow) => (priority === 'high' ? 1 : 0)
  return rank(one) - rank(other) || one.createdAt - other.createdAt
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}

/** Where an event leads, as far as that can be said before the server has: for it to look done at once. */
export interface OptimisticStep {
  readonly to: string
  /** What it changes of the context: values, or a pure function of what there is. */
  readonly context?: Values | ((context: Values, payload: Values) => Values) | undefined
  /** True when the server need not know: it is not sent, and holds until the server's next transition. */
  readonly local?: boolean | undefined
}

/** Steps by intent, state and event. */
export type OptimisticTables = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, OptimisticStep>>>>>
>

/** Something that was done here and that the server has not confirmed by its own event. */
export interface Expected {
  readonly eventId: string
  readonly instanceId: string
  /** Absent for a dismissal. */
  readonly event?: string
  readonly payload?: Values | undefined
  readonly local?: boolean
  /** Once the server has answered: the seq with which its own events show it. */
  readonly seq?: number
}

/** A flow as it is to be shown: the server's, with what was done here on top of it. */
export interface ShownFlow extends FlowInstance {
  readonly instanceId: string
  /** True while something that was done here is not confirmed. */
  readonly pending: boolean
  /** True when the user has dismissed it and the server has not yet: do not show it. */
  readonly dismissing: boolean
  /** The last error about it, until something else is done. */
  readonly error?: ErrorPayload | undefined
}

export function stepOf(
  tables: OptimisticTables,
  { intentId, state }: Pick<FlowInstance, 'intentId' | 'state'>,
  event: string,
): OptimisticStep | undefined {
  return own(own(own(tables, intentId), state), event)
}

/** Puts what was done here on top of what the server has. Taking one of them away gives what there was without it. */
function viewOf(
  instanceId: string,
  flow: FlowInstance,
  expected: readonly Expected[],
  tables: OptimisticTables,
  error?: ErrorPayload,
): ShownFlow {
  const { state, context } = expected.reduce((before, each) => stepped(before, each, tables), flow)
  return {
    ...flow,
    state,
    context,
    instanceId,
    pending: expected.some(({ local }) => local !== true),
    dismissing: expected.some(({ event }) => event === undefined),
    error,
  }
}

function stepped(flow: FlowInstance, { event, payload = {} }: Expected, tables: OptimisticTables): FlowInstance {
  const step = event === undefined ? undefined : stepOf(tables, flow, event)
  if (step === undefined) return flow
  const change = typeof step.context === 'function' ? step.context(flow.context, payload) : step.context
  return { ...flow, state: step.to, context: { ...flow.context, ...change } }
}

function own<Value>(table: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined
}
