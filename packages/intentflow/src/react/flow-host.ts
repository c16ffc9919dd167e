import {
  createElement as h,
  Fragment,
  useEffect,
  useRef,
  type ReactElement,
  useLayoutEffect,
  type CSSProperties,
  type KeyboardEvent,
  type SyntheticEvent,
} from 'react'
import type { ShownFlow } from '../client/snapshots.ts'
import type { DisplayMode } from '../schemas/server-payloads.ts'
import { FlowRenderer, titleOf } from './flow-renderer.ts'
import { useFlows } from './flows-context.ts'
import { useActiveFlows } from './hooks.ts'

/** How open flows are shown. */
export interface FlowHostProps {
  /** The display modes whose flows are shown here; all of them when left out. */
  readonly modes?: readonly DisplayMode[] | undefined
  /** What the button that dismisses a flow is called. */
  readonly closeLabel?: string | undefined
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
    {
      ref,
      tabIndex: -1,
      role: 'group',
      'aria-label': title,
      'data-instance-id': instanceId,
      className: 'intentflow-inline',
    },
    h(FlowRenderer, { instanceId }),
  )
}

interface FlowDialogProps {
  readonly flow: ShownFlow
  readonly title: string
  readonly closeLabel: string
  readonly onDismiss: () => void
}

/** A flow over everything else: the rest of the page cannot be reached, Escape dismisses it, and focus goes back after it. */
function FlowDialog({ flow, title, closeLabel, onDismiss }: FlowDialogProps): ReactElement {
  const { instanceId, displayMode, dismissable } = flow
  const ref = useRef<HTMLDialogElement>(null)
  useBrowserEffect(() => {
    const dialog = ref.current
    if (dialog !== null && !dialog.open) dialog.showModal()
    // Before it is taken away: this is what gives the focus back.
    return () => dialog?.close()
  }, [])
  const dismiss = (event: SyntheticEvent) => {
    event.preventDefault()
    if (dismissable) onDismiss()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLDialogElement>) => {
    // What is inside may have a use for the key, and so has an input method.
    if (event.defaultPrevented || event.nativeEvent.isComposing) return
    // Browsers let a second Escape close any dialog, unless the key itself is taken.
    if (event.key === 'Escape') dismiss(event)
    else if (event.key === 'Tab') keepInside(event)
  }
  return h(
    'dialog',
    {
      ref,
      'aria-label': title,
      'data-instance-id': instanceId,
      className: `intentflow-dialog intentflow-${displayMode}`,
      style: looks[displayMode],
      onKeyDown,
      onCancel: dismiss,
      onClose: () => {
        // Nothing but the end of the flow closes it.
        if (ref.current?.isConnected === true && !ref.current.open) ref.current.showModal()
      },
    },
    h(FlowRenderer, { instanceId }),
    dismissable &&
      h(
        'button',
        {
          type: 'button',
          className: 'intentflow-close',
          'aria-label': closeLabel,
          style: closeLook,
          onClick: onDismiss,
        },
        '×',
      ),
  )
}

const focusable =
  'a[href], area[href], button, input, select, textarea, summary, iframe, audio[controls], video[controls], [contenteditable], [tabindex]'

/** Tab goes round: from the last to the first, and back. */
function keepInside(event: KeyboardEvent<HTMLDialogElement>): void {
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(focusable)].filter((element) => {
    return element.tabIndex >= 0 && !element.matches(':disabled') && element.checkVisibility()
  })
  const [first, last] = [all.at(0), all.at(-1)]
  const active = document.activeElement
  const isInside = all.includes(active as HTMLElement)
  const isLeaving = active === (event.shiftKey ? first : last)
  if (isInside && !isLeaving) return
  event.preventDefault()
  ;(event.shiftKey ? last : first)?.focus()
}

// On a server there is nothing to open, and React warns of layout effects there.
const useBrowserEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect

const closeLook: CSSProperties = { position: 'absolute', insetBlockStart: 8, insetInlineEnd: 8, width: 32, height: 32 }

/** Only where they are; everything else is the page's. */
const looks: Readonly<Record<ShownFlow['displayMode'], CSSProperties>> = {
  inline: {},
  modal: { paddingBlockStart: 48 },
  sheet: {
    boxSizing: 'border-box',
    width: '100%',
    maxWidth: '100%',
    marginBlockEnd: 0,
    marginBlockStart: 'auto',
    paddingBlockStart: 48,
  },
  fullscreen: {
    boxSizing: 'border-box',
    width: '100%',
    height: '100%',
    maxWidth: '100%',
    maxHeight: '100%',
    margin: 0,
    border: 0,
    paddingBlockStart: 48,
  },
}
