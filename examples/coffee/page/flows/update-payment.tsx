/** @jsxImportSource react */
import type { PropsOf } from '@intentflow/core'
import { useFlowDispatch, useFlowState } from '@intentflow/core/react'
import { useState } from 'react'
import type { updatePayment } from '../../flows/account-update-payment.ts'
import { cardToken } from '../card-number.ts'
import { Problem } from './problem.tsx'

/** Chooses the card that pays, or adds one. */
export function UpdatePayment({ paymentMethods, defaultPaymentId }: PropsOf<typeof updatePayment>) {
  const dispatch = useFlowDispatch()
  const isBusy = useFlowState() !== 'editing'
  const [number, setNumber] = useState('')
  const [expires, setExpires] = useState('')
  const [wrong, setWrong] = useState<string>()
  return (
    <div className="payment-flow">
      <h2>What do you pay with?</h2>
      <ul className="methods">
        {paymentMethods.map(({ id, label }) => (
          <li key={id}>
            <span>
              {label}
              {id === defaultPaymentId && <small> now</small>}
            </span>
            <button
              className="button small"
              type="button"
              disabled={isBusy}
              aria-label={`Use ${label}`}
              onClick={() => void dispatch('SELECT', { paymentId: id }).catch(() => {})}
            >
              Use
            </button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const token = cardToken(number, expires)
          setWrong(typeof token === 'string' ? token : undefined)
          if (typeof token !== 'string') void dispatch('ADD_CARD', { ...token }).catch(() => {})
        }}
      >
        <h3>Add a card</h3>
        <div className="fields">
          <label>
            Number
            <input
              inputMode="numeric"
              autoComplete="cc-number"
              placeholder="4111 1111 1111 1111"
              value={number}
              disabled={isBusy}
              onChange={(event) => setNumber(event.target.value)}
            />
          </label>
          <label>
            Valid until
            <input
              className="short"
              autoComplete="cc-exp"
              placeholder="09/29"
              value={expires}
              disabled={isBusy}
              onChange={(event) => setExpires(event.target.value)}
            />
          </label>
        </div>
        <p className="hint">The number stays in this page. Use a test number, such as 4111 1111 1111 1111.</p>
        {wrong === undefined ? (
          <Problem />
        ) : (
          <p className="problem" role="alert">
            {wrong}
          </p>
        )}
        <div className="ways">
          <button
            className="button"
            type="button"
            disabled={isBusy}
            onClick={() => void dispatch('CANCEL').catch(() => {})}
          >
            Cancel
          </button>
          <button className="button primary" type="submit" disabled={isBusy}>
            {isBusy ? 'Saving…' : 'Add card'}
          </button>
        </div>
      </form>
    </div>
  )
}
