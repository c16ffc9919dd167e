/** @jsxImportSource react */
import type { PropsOf } from '@intentflow/core'
import { useFlowDispatch, useFlowState } from '@intentflow/core/react'
import { dollars } from '../../domain/money.ts'
import { lineText } from '../../domain/order-line.ts'
import type { orderCancel } from '../../flows/order-cancel.ts'
import { Problem } from './problem.tsx'

/** Asks once more before an order is taken back. */
export function OrderCancel({ confirmationNumber, items, total, refundTo }: PropsOf<typeof orderCancel>) {
  const state = useFlowState()
  const dispatch = useFlowDispatch()
  const isBusy = state === 'cancelling' || state === 'cancelled'
  return (
    <div className="question">
      <h2>Cancel order {confirmationNumber}?</h2>
      <p>{items.map(lineText).join(', ')}</p>
      {state !== 'too_late' && (
        <p>
          {dollars(total)} go back to {refundTo}.
        </p>
      )}
      <Problem />
      <div className="ways">
        <button
          className="button"
          type="button"
          disabled={isBusy}
          onClick={() => void dispatch('KEEP').catch(() => {})}
        >
          Keep it
        </button>
        {state !== 'too_late' && (
          <button
            className="button danger"
            type="button"
            disabled={isBusy}
            onClick={() => void dispatch('CONFIRM').catch(() => {})}
          >
            {isBusy ? 'Cancelling…' : 'Cancel the order'}
          </button>
        )}
      </div>
    </div>
  )
}
