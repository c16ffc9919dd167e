import { createElement, useMemo, type ReactElement, type ReactNode } from 'react'
import type { FlowsSnapshot } from '../client/snapshots.ts'
import { FlowsContext, type FlowsValue } from './flows-context.ts'

export interface FlowProviderProps
  extends Pick<FlowsValue, 'client' | 'components' | 'unknown' | 'onError'>, Partial<Pick<FlowsValue, 'platform'>> {
  readonly children?: ReactNode
}

/** Gives the flows of a client, and what shows them, to everything inside. */
export function FlowProvider(props: FlowProviderProps): ReactElement {
  const { client, components, unknown, onError, platform = 'web', children } = props
  const value = useMemo<FlowsValue>(
    () => ({
      client,
      components,
      platform,
      initial: () => nothing,
      ...(unknown && { unknown }),
      ...(onError && { onError }),
    }),
    [client, components, platform, unknown, onError],
  )
  return createElement(FlowsContext.Provider, { value }, children)
}

/** What there is before anything has come. */
const nothing: FlowsSnapshot = { flows: [], connection: { state: 'connecting' }, waiting: 0, actions: [] }
