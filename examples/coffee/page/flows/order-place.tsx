/** @jsxImportSource react */
import type { PropsOf } from '@intentflow/core'
import { useFlowContext, useFlowDispatch, useFlowState } from '@intentflow/core/react'
import { menuItem } from '../../domain/menu.ts'
import { dollars, sum } from '../../domain/money.ts'
import { linePrice, subtotal } from '../../domain/order-line.ts'
import type { OrderLine } from '../../domain/order-line-schema.ts'
import type { orderPlace } from '../../flows/order-place.ts'
import { Glyph } from '../glyph.tsx'
import { SayField } from '../say-field.tsx'
import { Problem } from './problem.tsx'

type Props = PropsOf<typeof orderPlace>

interface OrderContext {
  readonly selectedPaymentId: string
  readonly declinedPaymentId?: string
  readonly tip: number
}

const tips = [0, 1, 2]

/** An order to be looked over, changed and placed. */
export function OrderPlace({ items, location, locations, paymentMethods }: Props) {
  const { selectedPaymentId, declinedPaymentId, tip } = useFlowContext<OrderContext>()
  const state = useFlowState()
  const send = useSend()
  const isBusy = state === 'placing' || state === 'confirmed'
  return (
    <div className="order">
      <h2>Your order</h2>
      <ul className="lines">
        {items.map((line, index) => (
          // Lines have no id of their own: two of the same item differ only in where they stand.
          <Line
            key={`${line.item.id}-${index}`}
            line={line}
            index={index}
            isBusy={isBusy}
            isOnly={items.length === 1}
          />
        ))}
      </ul>
      <fieldset disabled={isBusy}>
        <legend>Pick up at</legend>
        <div className="chips">
          {(locations ?? [location]).map(({ id, name, estimatedTime }) => (
            <label className="chip" key={id}>
              <input
                type="radio"
                name="location"
                checked={id === location.id}
                onChange={() => send('SELECT_LOCATION', { locationId: id })}
              />
              {name} <small>{estimatedTime} min</small>
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset disabled={isBusy}>
        <legend>Tip</legend>
        <div className="chips">
          {[...new Set([...tips, tip])].map((amount) => (
            <label className="chip" key={amount}>
              <input
                type="radio"
                name="tip"
                checked={amount === tip}
                onChange={() => send('SET_TIP', { tip: amount })}
              />
              {amount === 0 ? 'None' : dollars(amount)}
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset disabled={isBusy} className={state === 'declined' ? 'payment wrong' : 'payment'}>
        <legend>Pay with</legend>
        <Problem />
        <div className="chips">
          {paymentMethods.map(({ id, label }) => (
            <label className="chip" key={id}>
              <input
                type="radio"
                name="payment"
                checked={id === selectedPaymentId}
                onChange={() => send('SELECT_PAYMENT', { paymentId: id })}
              />
              {label} {id === declinedPaymentId && <small>declined</small>}
            </label>
          ))}
          <button className="chip quiet" type="button" onClick={() => send('CHANGE_PAYMENT')}>
            Another card…
          </button>
        </div>
      </fieldset>
      <SayField hint="Or say it: “make it two”" />
      <div className="total">
        <button className="button" type="button" disabled={isBusy} onClick={() => send('CANCEL')}>
          Cancel
        </button>
        <span className="spring" />
        <output aria-label="Total">{dollars(sum([subtotal(items), tip]))}</output>
        {state === 'declined' ? (
          <button className="button primary" type="button" onClick={() => send('MODIFY')}>
            Use another card
          </button>
        ) : (
          <button
            className="button primary"
            type="button"
            disabled={isBusy || selectedPaymentId === ''}
            onClick={() => send('CONFIRM', { selectedPaymentId, tip })}
          >
            {isBusy ? 'Placing…' : 'Place order'}
          </button>
        )}
      </div>
    </div>
  )
}

/** Sends an event; what the shop says to it is on the flow. */
function useSend() {
  const dispatch = useFlowDispatch()
  return (event: string, payload?: Readonly<Record<string, unknown>>) => void dispatch(event, payload).catch(() => {})
}

interface LineProps {
  readonly line: OrderLine
  readonly index: number
  readonly isBusy: boolean
  readonly isOnly: boolean
}

function Line({ line, index, isBusy, isOnly }: LineProps) {
  const send = useSend()
  const { item, quantity, selectedOptions } = line
  const options = menuItem(item.id)?.options ?? {}
  const set = (next: number) => send('SET_QUANTITY', { index, quantity: next })
  return (
    <li className="line">
      <div className="what">
        <strong>{item.name}</strong>
        <span className="price">{dollars(linePrice(line))}</span>
      </div>
      <div className="how">
        <div className="stepper" role="group" aria-label={`How many: ${item.name}`}>
          <button
            type="button"
            aria-label={`One ${item.name} less`}
            disabled={isBusy || quantity <= 1}
            onClick={() => set(quantity - 1)}
          >
            <Glyph name="minus" />
          </button>
          <span aria-live="polite">{quantity}</span>
          <button
            type="button"
            aria-label={`One ${item.name} more`}
            disabled={isBusy || quantity >= 20}
            onClick={() => set(quantity + 1)}
          >
            <Glyph name="plus" />
          </button>
        </div>
        {Object.entries(options).map(([option, choices]) => (
          <select
            key={option}
            aria-label={`${item.name}: ${option}`}
            disabled={isBusy}
            value={selectedOptions[option as keyof typeof selectedOptions]}
            onChange={(event) => send('SET_OPTION', { index, option, value: event.target.value })}
          >
            {choices.map(({ id, label, extra }) => (
              <option key={id} value={id}>
                {extra > 0 ? `${label} +${dollars(extra)}` : label}
              </option>
            ))}
          </select>
        ))}
        <span className="spring" />
        <button
          className="icon-button"
          type="button"
          aria-label={`Remove ${item.name}`}
          disabled={isBusy || isOnly}
          onClick={() => send('REMOVE_ITEM', { index })}
        >
          <Glyph name="bin" />
        </button>
      </div>
    </li>
  )
}
