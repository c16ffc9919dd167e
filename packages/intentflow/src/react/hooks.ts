import { useCallback, useMemo, useRef, useSyncExternalStore } from 'react'
import type { FlowAction, FlowClient } from '../client/flow-client.ts'
import type { ShownFlow, FlowsSnapshot } from '../client/snapshots.ts'
import type { EventResult } from '../client/transport.ts'
import type { ErrorPayload, Recovery } from '../schemas/server-payloads.ts'
import { useFlows, useInstanceId, type FlowPlatform } from './flows-context.ts'
import type { Values } from '../schemas/json-problem.ts'

/** Something done in a flow: an event's name, with a payload or without, or both in one object. */
export interface FlowDispatch {
  (event: string, payload?: Values): Promise<EventResult>
  (action: FlowAction): Promise<EventResult>
  /** The members besides `type` are the payload. */
  (action: { readonly type: string; readonly [member: string]: unknown }): Promise<EventResult>
}

/** The last error of a flow, and what can be done about it. */
export interface FlowErrorState extends ErrorPayload {
  /** Does again what it was about. */
  readonly retry: () => Promise<EventResult>
  /** Does one of what it offers in `recovery`. */
  readonly recover: (recovery: Recovery) => Promise<EventResult | undefined>
  readonly clear: () => void
}

/** How a flow is shown just now. */
export interface RenderContext extends Pick<
  ShownFlow,
  'instanceId' | 'intentId' | 'displayMode' | 'dismissable' | 'pending'
> {
  readonly platform: FlowPlatform
  /** True on the page of an MCP host. */
  readonly isMCP: boolean
  readonly dismiss: () => Promise<EventResult>
}

/** The client of flows that the provider has. */
export function useFlowClient(): FlowClient {
  return useFlows().client
}

/** All that there is of flows; draws again whenever any of it changes. */
export function useFlowsSnapshot(): FlowsSnapshot {
  return useSelected((snapshot) => snapshot)
}

/** The flows that are open. */
export function useActiveFlows(): readonly ShownFlow[] {
  return useSelected(({ flows }) => flows)
}

/** A flow as long as it is active. */
export function useActiveFlow(instanceId: string): ShownFlow | undefined {
  return useSelected(({ flows }) => flows.find((flow) => flow.instanceId === instanceId))
}

/** A flow, of which the component draws again only when that one changes. */
export function useFlow(given?: string): ShownFlow {
  const instanceId = useInstanceId(given)
  const found = useActiveFlow(instanceId)
  // A flow that has just gone is shown as it was, until what shows it is gone too.
  const last = useRef<ShownFlow>(undefined)
  if (found !== undefined) last.current = found
  if (last.current === undefined) throw new Error(`There is no active flow ${instanceId}.`)
  return last.current
}

/** The state of a flow. */
export function useFlowState(instanceId?: string): string {
  return useFlow(instanceId).state
}

/** The props of a flow. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what it is follows from the flow's definition.
export function useFlowProps<Props = Values>(instanceId?: string): Props {
  return useFlow(instanceId).props as Props
}

/** The context of the flow's machine. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what it is follows from the flow's definition.
export function useFlowContext<Context = Values>(instanceId?: string): Context {
  return useFlow(instanceId).context as Context
}

/** A function that does something in the flow; it stays the same. What it gives need not be waited for. */
export function useFlowDispatch(given?: string): FlowDispatch {
  const client = useFlowClient()
  const instanceId = useInstanceId(given)
  return useCallback<FlowDispatch>(
    (action: string | FlowAction | { readonly type: string }, payload?: Values) =>
      client.dispatch(instanceId, normalized(action, payload)),
    [client, instanceId],
  )
}

/** The error of a flow, and how to try again. */
export function useFlowError(given?: string): FlowErrorState | undefined {
  const client = useFlowClient()
  const { error, instanceId } = useFlow(given)
  return useMemo(
    () =>
      error && {
        ...error,
        retry: () => client.retry(instanceId),
        recover: (recovery: Recovery) => client.recover(instanceId, recovery),
        clear: () => client.clearError(instanceId),
      },
    [client, error, instanceId],
  )
}

/** How a flow is shown just now. */
export function useRenderContext(given?: string): RenderContext {
  const { client, platform } = useFlows()
  const { instanceId, intentId, displayMode, dismissable, pending } = useFlow(given)
  return useMemo(
    () => ({
      instanceId,
      intentId,
      displayMode,
      platform,
      isMCP: platform === 'mcp',
      dismissable,
      pending,
      dismiss: () => client.dismiss(instanceId),
    }),
    [client, platform, instanceId, intentId, displayMode, dismissable, pending],
  )
}

function useSelected<Value>(select: (snapshot: FlowsSnapshot) => Value): Value {
  const { client, initial } = useFlows()
  return useSyncExternalStore(
    client.subscribe,
    () => select(client.getSnapshot()),
    () => select(initial()),
  )
}

function normalized(action: string | FlowAction | { readonly type: string }, payload?: Values): FlowAction {
  if (typeof action === 'string') return { event: action, payload }
  if (!('type' in action)) return action
  const { type, ...members } = action
  return { event: type, ...(Object.keys(members).length > 0 && { payload: members }) }
}
