import { createContext, useContext, type ComponentType } from 'react'
import type { FlowClient } from '../client/flow-client.ts'
import type { ShownFlow } from '../client/optimism.ts'
import type { FlowsSnapshot } from '../client/snapshots.ts'

/** A component that shows a flow: it is given the flow's props, or reads them by hooks. `lazy(() => import(…))` is one too. */
export type FlowComponent = ComponentType<never>

/** How the flows of an intent are shown. */
export interface FlowEntry {
  readonly component: FlowComponent
  /** What screen readers call it; made of the intent's id when left out. */
  readonly title?: string
}

/** What shows flows, by intent. */
export type FlowComponents = Readonly<Record<string, FlowComponent | FlowEntry>>

/** Where flows are shown: in a page, or as the page of an MCP host. */
export type FlowPlatform = 'web' | 'mcp'

/** What a provider gives to everything inside it. */
export interface FlowsValue {
  readonly client: FlowClient
  readonly components: FlowComponents
  /** What is shown on a server, and by a browser until it has taken over. */
  readonly initial: () => FlowsSnapshot
  readonly platform: FlowPlatform
  /** Shows flows that no component is there for. */
  readonly unknown?: ComponentType<{ readonly flow: ShownFlow }>
  readonly onError?: (error: unknown, flow: ShownFlow) => void
}

export const FlowsContext = createContext<FlowsValue | undefined>(undefined)

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
