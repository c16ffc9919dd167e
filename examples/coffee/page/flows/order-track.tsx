/** @jsxImportSource react */
import type { PropsOf } from '@intentflow/core'
import { useFlowDispatch, useFlowState } from '@intentflow/core/react'
import { lineText } from '../../domain/order-line.ts'
import type { orderTrack } from '../../flows/order-track.ts'
import { Glyph } from '../glyph.tsx'
import { Problem } from './problem.tsx'

const steps = [
  { status: 'received', label: 'Received' },
  { status: 'preparing', label: 'Being made' },
  { status: 'ready', label: 'Ready' },
] as const

/** How far an order is; it changes by itself. */
export function OrderTrack(props: PropsOf<typeof orderTrack>) {
  const { confirmationNumber, status, estimatedTime, progress, items, location } = props
  const state = useFlowState()
  const dispatch = useFlowDispatch()
  const reached = steps.findIndex((step) => step.status === status)
  const isReady = status === 'ready'
  return (
    <div className="track">
      <div className="what">
        <h2>Order {confirmationNumber}</h2>
        <strong className={isReady ? 'ready' : ''} role="status">
          {isReady ? `Ready at ${location.name}` : `About ${estimatedTime} min`}
        </strong>
      </div>
      <progress max={100} value={progress} aria-label="How far the order is" />
      <ol className="steps">
        {steps.map(({ status: step, label }, index) => (
          <li
            key={step}
            className={index <= reached ? 'reached' : ''}
            aria-current={index === reached ? 'step' : undefined}
          >
            {index < reached || isReady ? <Glyph name="check" /> : null}
            {label}
          </li>
        ))}
      </ol>
      <p className="hint">
        {items.map(lineText).join(', ')} · {location.name}
        {location.address === undefined ? '' : `, ${location.address}`}
      </p>
      <Problem />
      <div className="ways">
        {state === 'preparing' && (
          <button className="button" type="button" onClick={() => void dispatch('CANCEL_ORDER').catch(() => {})}>
            Cancel order
          </button>
        )}
        {isReady && (
          <button
            className="button primary"
            type="button"
            disabled={state !== 'ready'}
            onClick={() => void dispatch('COLLECT').catch(() => {})}
          >
            I have it
          </button>
        )}
      </div>
    </div>
  )
}
