import {
  createContext,
  useContext,
  type ComponentType,
  createElement,
  useMemo,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { FlowClient, FlowAction } from '../client/flow-client.ts'
import type { ShownFlow, FlowsSnapshot } from '../client/snapshots.ts'
import { createFlowClient } from '../client/create-flow-client.ts'
import type { EventResult } from '../client/transport.ts'
import type { ClientEvent } from '../schemas/client-payloads.ts'
import type { DisplayMode, ErrorPayload } from '../schemas/server-payloads.ts'
import type { Values } from '../schemas/json-problem.ts'

/** A component that shows a flow: it is given the flow's props, or reads them by hooks. `lazy(() => import(…))` is one too. */
export type FlowComponent = ComponentType<never>

/** How the flows of an intent are shown. */
export interface FlowEntry {
  readonly component: FlowComponent
  /** What screen readers call it; made of the intent's id when left out. */
  readonly title?: string | undefined
}

/** What shows flows, by intent. */
export type FlowComponents = Readonly<Record<string, FlowComponent | FlowEntry>>

/** Where flows are shown: in a page, or as the page of an MCP host. */
export type FlowPlatform = 'web' | 'mcp'

export interface FlowsValue {
  readonly client: FlowClient
  readonly components: FlowComponents
  /** What is shown on a server, and by a browser until it has taken over. */
  readonly initial: () => FlowsSnapshot
  readonly platform: FlowPlatform
  /** Shows flows that no component is there for. */
  readonly unknown?: ComponentType<{ readonly flow: ShownFlow }> | undefined
  readonly onError?: ((error: unknown, flow: ShownFlow) => void) | undefined
}

const FlowsContext = createContext<FlowsValue | undefined>(undefined)

/** The flow that a component is inside of. */
export const InstanceContext = createContext<string | undefined>(undefined)

export function useFlows(): FlowsValue {
  const value = useContext(FlowsContext)
  if (value === undefined) throw new Error('This belongs inside a FlowProvider, or in tests a FlowTestProvider.')
  return value
}

/** The id that was given, or that of the flow around. */
export function useInstanceId(given?: string): string {
  const around = useContext(InstanceContext)
  const instanceId = given ?? around
  if (instanceId === undefined)
    throw new Error('This belongs inside the component of a flow; elsewhere give an instanceId.')
  return instanceId
}

/** The client of flows and their components. */
export interface FlowProviderProps
  extends Pick<FlowsValue, 'client' | 'components' | 'unknown' | 'onError'>, Partial<Pick<FlowsValue, 'platform'>> {
  readonly children?: ReactNode | undefined
}

/** Gives the flows of a client, and what shows them, to everything inside. */
export function FlowProvider(props: FlowProviderProps): ReactElement {
  const { client, components, unknown, onError, platform = 'web', children } = props
  const value = useMemo<FlowsValue>(
    () => ({ client, components, platform, initial: () => nothing, unknown, onError }),
    [client, components, platform, unknown, onError],
  )
  return createElement(FlowsContext.Provider, { value }, children)
}

/** What there is before anything has come. */
const nothing: FlowsSnapshot = { flows: [], connection: { state: 'connecting' }, waiting: 0, actions: [] }

/** The state and props of a flow that a test shows. */
export interface FlowTestProviderProps {
  readonly intentId?: string | undefined
  readonly props?: Values | undefined
  readonly state?: string | undefined
  readonly context?: Values | undefined
  readonly error?: ErrorPayload | undefined
  readonly displayMode?: DisplayMode | undefined
  readonly dismissable?: boolean | undefined
  readonly platform?: FlowPlatform | undefined
  /** Where events lead: state, event, state. Events that lead nowhere are taken, and change nothing. */
  readonly transitions?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined
  /** Told of everything that is done in the flow. An error that it gives is what the server rejects it with. */
  readonly onDispatch?: ((action: FlowAction) => ErrorPayload | void) | undefined
  readonly onDismiss?: (() => void) | undefined
  readonly components?: FlowComponents | undefined
  readonly children?: ReactNode | undefined
}

const instanceId = 'flow_test'

/** Puts the component of a flow into a flow without any server, to test it. */
export function FlowTestProvider(given: FlowTestProviderProps): ReactElement {
  const { components, platform = 'web', children } = given
  const latest = useRef(given)
  latest.current = given
  const [client] = useState(() => testClient(() => latest.current))
  const { props, state, context, error } = given
  const shown = useRef<Changes>(given)
  // Only what differs: objects that are written in place are new ones each time.
  useEffect(() => {
    const before = shown.current
    shown.current = { props, state, context, error }
    client.change({
      props: ifOther(before.props, props),
      state: ifOther(before.state, state),
      context: ifOther(before.context, context),
      error: ifOther(before.error, error),
    })
  }, [client, props, state, context, error])
  const value = useMemo<FlowsValue>(
    () => ({ client, components: components ?? {}, platform, initial: client.getSnapshot }),
    [client, components, platform],
  )
  return createElement(
    FlowsContext.Provider,
    { value },
    createElement(InstanceContext.Provider, { value: instanceId }, children),
  )
}

interface Changes {
  readonly props?: Values | undefined
  readonly state?: string | undefined
  readonly context?: Values | undefined
  readonly error?: ErrorPayload | undefined
}

function ifOther<Value>(before: Value, now: Value): Value | undefined {
  return before === now || JSON.stringify(before) === JSON.stringify(now) ? undefined : now
}

function testClient(given: () => FlowTestProviderProps): FlowClient & { readonly change: (now: Changes) => void } {
  const { intentId = 'test.flow', displayMode = 'inline', dismissable = true } = given()
  const client = createFlowClient({
    transport: { send: async ({ events = [] }) => ({ results: events.map((event) => take(event)) }) },
  })
  const show = (name: string, value: object) =>
    client.receive({ type: 'CUSTOM', name, value: { instanceId, ...value } })
  const change = ({ props, state, context, error }: Changes) => {
    if (props !== undefined) show('intentflow.props_update', { patch: props })
    if (state !== undefined || context !== undefined) {
      const [flow] = client.getSnapshot().flows
      show('intentflow.transition', { toState: state ?? flow?.state ?? '', context })
    }
    if (error !== undefined) show('intentflow.error', error)
  }
  const take = ({ name, value }: ClientEvent): EventResult => {
    const { eventId = '' } = value
    if (name === 'intentflow.dismiss_request') {
      given().onDismiss?.()
      show('intentflow.dismiss', { reason: 'cancelled', inReplyTo: eventId })
    } else if (name === 'intentflow.event') {
      const { event, payload } = value
      const error = given().onDispatch?.({ event, payload })
      if (error !== undefined) return { eventId, status: 'rejected', code: error.code, message: error.message, error }
      const toState = given().transitions?.[client.getSnapshot().flows[0]?.state ?? '']?.[event]
      if (toState !== undefined) show('intentflow.transition', { toState, inReplyTo: eventId })
    }
    return { eventId, status: 'applied' }
  }
  const { props = {}, state = '', context = {}, error } = given()
  show('intentflow.render', { intentId, props, state, context, displayMode, dismissable, seq: 0 })
  if (error !== undefined) show('intentflow.error', error)
  return { ...client, change }
}
