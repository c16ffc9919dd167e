import { defined } from '@cool-ai/beach-core/runtime'
import type { ServerEvent, PropsUpdatePayload, RenderPayload, TransitionPayload } from '../schemas/server-payloads.ts'
import { changeProps, UnfitOperation } from './change-props.ts'
import type { ActiveFlows, FlowInstance } from './flow-instance.ts'

/**
 * The open flows after an event of the server: the one place where this is decided, for servers and clients. An event
 * that does not follow on what is there (an unknown instance, a seq that is not the next one, an operation that does not
 * fit) changes nothing; the very same object is returned then.
 */
export function applyServerEvent(flows: ActiveFlows, event: ServerEvent): ActiveFlows {
  switch (event.name) {
    case 'intentflow.render':
      return rendered(flows, event.value)
    case 'intentflow.transition':
      return onInstance(flows, event.value, (instance) => transitioned(instance, event.value))
    case 'intentflow.props_update':
      return onInstance(flows, event.value, (instance) => updated(instance, event.value))
    case 'intentflow.dismiss': {
      if (nextInstance(flows, event.value) === undefined) return flows
      const { [event.value.instanceId]: _, ...rest } = flows
      return rest
    }
    case 'intentflow.error':
    case 'intentflow.action':
      return onParked(flows, event.value)
  }
}

export function instanceOf(payload: RenderPayload): FlowInstance {
  const at = payload.at ?? 0
  return defined({
    intentId: payload.intentId,
    version: payload.version ?? '1.0.0',
    state: payload.state ?? payload.initialState ?? '',
    props: payload.props,
    context: payload.context ?? {},
    displayMode: payload.displayMode,
    priority: payload.priority ?? 'normal',
    dismissable: payload.dismissable ?? true,
    streaming: payload.streaming || undefined,
    parentInstanceId: payload.parentInstanceId,
    seq: payload.seq ?? 0,
    createdAt: at,
    updatedAt: at,
    expiresAt: payload.expiresAt,
  })
}

function rendered(flows: ActiveFlows, payload: RenderPayload): ActiveFlows {
  const { instanceId, seq = 0 } = payload
  return seq !== 0 || Object.hasOwn(flows, instanceId) ? flows : { ...flows, [instanceId]: instanceOf(payload) }
}

interface Change {
  readonly instanceId: string
  readonly seq?: number | undefined
  readonly at?: number | undefined
}

/** The instance that an event is about, if the event is its next one. */
function nextInstance(flows: ActiveFlows, { instanceId, seq }: Change): FlowInstance | undefined {
  const instance = Object.hasOwn(flows, instanceId) ? flows[instanceId] : undefined
  return instance === undefined || (seq !== undefined && seq !== instance.seq + 1) ? undefined : instance
}

function onInstance(
  flows: ActiveFlows,
  payload: Change,
  change: (instance: FlowInstance) => FlowInstance | undefined,
): ActiveFlows {
  const instance = nextInstance(flows, payload)
  const next = instance === undefined ? undefined : change(instance)
  if (next === undefined) return flows
  const { instanceId, seq = next.seq, at: updatedAt = next.updatedAt } = payload
  return { ...flows, [instanceId]: { ...next, seq, updatedAt } }
}

/** Errors and actions change nothing of an instance; those with a seq of their own are counted. */
function onParked(
  flows: ActiveFlows,
  { instanceId, seq, at }: { instanceId?: string; seq?: number; at?: number },
): ActiveFlows {
  if (instanceId === undefined || seq === undefined) return flows
  return onInstance(flows, { instanceId, seq, at }, (instance) => instance)
}

function transitioned(instance: FlowInstance, { toState, context, followUp }: TransitionPayload): FlowInstance {
  return { ...instance, state: toState, context: { ...instance.context, ...context }, followUp: followUp ?? null }
}

function updated(instance: FlowInstance, { patch, operations = [] }: PropsUpdatePayload): FlowInstance | undefined {
  if (patch !== undefined) return { ...instance, props: { ...instance.props, ...patch } }
  try {
    return { ...instance, props: changeProps(instance.props, operations) }
  } catch (error) {
    if (error instanceof UnfitOperation) return undefined
    throw error
  }
}
