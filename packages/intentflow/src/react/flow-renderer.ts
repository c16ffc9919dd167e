import {
  createElement as h,
  memo,
  Suspense,
  type ComponentType,
  type NamedExoticComponent,
  type ReactElement,
  Component,
  type ReactNode,
} from 'react'
import type { ShownFlow } from '../client/snapshots.ts'
import { InstanceContext, useFlows, type FlowComponents, type FlowEntry } from './flows-context.ts'
import { useActiveFlow } from './hooks.ts'

/** Which flow is shown. */
export interface FlowRendererProps {
  readonly instanceId: string
}

/**
 * Shows one flow by its component, with its props, as long as it is active; what goes wrong in it stays in it. Other
 * flows do not draw it again.
 */
export const FlowRenderer: NamedExoticComponent<FlowRendererProps> = memo(DrawnFlow)

function DrawnFlow({ instanceId }: FlowRendererProps): ReactElement | null {
  const { client, components, unknown: Unknown = UnknownFlow, onError } = useFlows()
  const flow = useActiveFlow(instanceId)
  if (flow === undefined || flow.dismissing) return null
  const onDismiss = () => void client.dismiss(instanceId)
  const entry = entryOf(components, flow.intentId)
  return h(
    InstanceContext.Provider,
    { value: instanceId },
    h(
      FlowBoundary,
      { flow, onError, onDismiss },
      entry === undefined
        ? h(Unknown, { flow })
        : h(
            Suspense,
            { fallback: h('p', { role: 'status' }, 'Loading…') },
            h(entry.component as ComponentType<object>, propsOf(flow)),
          ),
    ),
  )
}

export function titleOf(components: FlowComponents, { intentId }: ShownFlow): string {
  const { title } = entryOf(components, intentId) ?? {}
  const words = intentId.replaceAll(/[._]+/g, ' ').trim()
  return title ?? words.charAt(0).toUpperCase() + words.slice(1)
}

function entryOf(components: FlowComponents, intentId: string): FlowEntry | undefined {
  const found = Object.hasOwn(components, intentId) ? components[intentId] : undefined
  if (found === undefined) return undefined
  // What React makes (lazy, memo) are objects too.
  return typeof found === 'object' && 'component' in found ? found : { component: found }
}

/** React has a meaning of its own for some names. */
function propsOf({ props }: ShownFlow): object {
  const { key: _key, ref: _ref, children: _children, ...rest } = props
  return rest
}

function UnknownFlow({ flow }: { readonly flow: ShownFlow }): ReactElement {
  const { client, components } = useFlows()
  const onClick = () => void client.dismiss(flow.instanceId)
  return h(
    'div',
    { className: 'intentflow-unknown' },
    h('p', {}, `“${titleOf(components, flow)}” cannot be shown here.`),
    flow.dismissable && h('button', { type: 'button', onClick }, 'Close'),
  )
}

interface FlowBoundaryProps {
  readonly flow: ShownFlow
  readonly onError?: ((error: unknown, flow: ShownFlow) => void) | undefined
  readonly onDismiss: () => void
  readonly children?: ReactNode | undefined
}

interface State {
  readonly failed: boolean
}

/** Keeps what goes wrong in one flow's component from the rest of the page. Only classes can do this in React. */
class FlowBoundary extends Component<FlowBoundaryProps, State> {
  override state: State = { failed: false }

  static getDerivedStateFromError(): State {
    return { failed: true }
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError?.(error, this.props.flow)
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    const { flow, onDismiss } = this.props
    return h(
      'div',
      { role: 'alert', className: 'intentflow-failed' },
      h('p', {}, 'This cannot be shown at the moment.'),
      h('button', { type: 'button', onClick: () => this.setState({ failed: false }) }, 'Try again'),
      flow.dismissable && h('button', { type: 'button', onClick: onDismiss }, 'Close'),
    )
  }
}
