import { useFlowContext, useFlowDispatch, useFlowError, useFlowProps, useFlowState } from '@intentflow/core/react'

/** The flow `table.book` as people see it: its data, where it stands, and what can be done. */
export function TableCard() {
  const { guests } = useFlowProps<{ guests: number }>()
  const { reference } = useFlowContext<{ reference?: string }>()
  const state = useFlowState()
  const dispatch = useFlowDispatch()
  const error = useFlowError()
  return (
    <article className="card">
      <h2>A table for {guests}</h2>
      {state === 'booked' && <p>It is booked: {reference}.</p>}
      {error !== undefined && <p role="alert">{error.message}</p>}
      {state === 'booked' ? (
        <button onClick={() => void dispatch('CLOSE')}>OK</button>
      ) : (
        <button disabled={state !== 'review'} onClick={() => void dispatch('CONFIRM')}>
          {state === 'review' ? 'Book it' : 'Booking …'}
        </button>
      )}
    </article>
  )
}
