import type { ErrorPayload } from '../schemas/server-payloads.ts'
import type { FlowInstance } from '../state/flow-instance.ts'

type Values = Readonly<Record<string, unknown>>

/** Where an event leads, as far as that can be said before the server has: for it to look done at once. */
export interface OptimisticStep {
  readonly to: string
  /** What it changes of the context: values, or a pure function of what there is. */
  readonly context?: Values | ((context: Values, payload: Values) => Values)
  /** True when the server need not know: it is not sent, and holds until the server's next transition. */
  readonly local?: boolean
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
  readonly payload?: Values
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
  readonly error?: ErrorPayload
}

/** The step that an event would be, from a state on. */
export function stepOf(
  tables: OptimisticTables,
  { intentId, state }: Pick<FlowInstance, 'intentId' | 'state'>,
  event: string,
): OptimisticStep | undefined {
  return own(own(own(tables, intentId), state), event)
}

/** Puts what was done here on top of what the server has. Taking one of them away gives what there was without it. */
export function viewOf(
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
    ...(error && { error }),
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
