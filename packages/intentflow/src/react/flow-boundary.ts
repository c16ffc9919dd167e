import { Component, createElement as h, type ReactNode } from 'react'
import type { ShownFlow } from '../client/optimism.ts'

export interface FlowBoundaryProps {
  readonly flow: ShownFlow
  readonly onError?: ((error: unknown, flow: ShownFlow) => void) | undefined
  readonly onDismiss: () => void
  readonly children?: ReactNode
}

interface State {
  readonly failed: boolean
}

/** Keeps what goes wrong in one flow's component from the rest of the page. Only classes can do this in React. */
export class FlowBoundary extends Component<FlowBoundaryProps, State> {
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
