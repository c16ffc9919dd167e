import { createElement as h, Fragment, useEffect, useRef, type ReactElement } from 'react'
import type { ShownFlow } from '../client/optimism.ts'
import type { DisplayMode } from '../schemas/server-payloads.ts'
import { FlowDialog } from './flow-dialog.ts'
import { FlowRenderer, titleOf } from './flow-renderer.ts'
import { useFlows } from './flows-context.ts'
import { useActiveFlows } from './hooks.ts'

export interface FlowHostProps {
  /** The display modes whose flows are shown here; all of them when left out. */
  readonly modes?: readonly DisplayMode[]
  /** What the button that dismisses a flow is called. */
  readonly closeLabel?: string
}

/** Shows the active flows, each as its display mode says. */
export function FlowHost({ modes, closeLabel = 'Close' }: FlowHostProps): ReactElement {
  const { client, components } = useFlows()
  const shown = useActiveFlows().filter(({ dismissing, displayMode }) => {
    return !dismissing && (modes === undefined || modes.includes(displayMode))
  })
  return h(
    Fragment,
    {},
    shown.map((flow) => {
      const { instanceId: key, displayMode } = flow
      const title = titleOf(components, flow)
      if (displayMode === 'inline') return h(InlineFlow, { key, flow, title })
      return h(FlowDialog, { key, flow, title, closeLabel, onDismiss: () => void client.dismiss(key) })
    }),
  )
}

/** A flow in its place in the page; one of high priority takes the focus when it comes. */
function InlineFlow({ flow, title }: { readonly flow: ShownFlow; readonly title: string }): ReactElement {
  const ref = useRef<HTMLElement>(null)
  const isUrgent = flow.priority === 'high'
  useEffect(() => {
    if (isUrgent) ref.current?.focus()
  }, [isUrgent])
  const { instanceId } = flow
  return h(
    'section',
    { ref, tabIndex: -1, 'aria-label': title, 'data-instance-id': instanceId, className: 'intentflow-inline' },
    h(FlowRenderer, { instanceId }),
  )
}
