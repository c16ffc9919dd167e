import { ui, type UiNode } from '@cool-ai/beach-a2ui'
import { dollars, sum } from '../domain/money.ts'
import { linePrice, lineText, subtotal } from '../domain/order-line.ts'
import type { OrderLine } from '../domain/order-line-schema.ts'

/** An order as its surface shows it. */
export interface ShownOrder {
  readonly instanceId: string
  readonly state: string
  readonly items: readonly OrderLine[]
  readonly location: { readonly name: string; readonly estimatedTime: number }
  readonly paymentMethods: readonly { readonly id: string; readonly label: string }[]
  readonly selectedPaymentId: string
  readonly tip: number
  readonly problem: string | null
}

const { path } = ui.pathsOf<{ tip: string; payment: string[] }>()

/** An order where no page of ours can show it, such as in the window of an MCP host; undefined once it is sent. */
export function orderSurface(order: ShownOrder) {
  if (order.state !== 'review' && order.state !== 'declined') return undefined
  const { instanceId, items, location, selectedPaymentId, tip, problem } = order
  return ui.surface({
    surfaceId: `order-${instanceId}`,
    data: { tip: String(tip), payment: selectedPaymentId === '' ? [] : [selectedPaymentId] },
    root: ui.card(
      ui.column(
        ui.text(`Your order at ${location.name}`, { variant: 'h3' }),
        ui.text(`Ready in about ${location.estimatedTime} minutes`, { variant: 'caption' }),
        problem !== null && ui.text(problem, { variant: 'caption' }),
        ...items.map((line, index) => lineRow(line, index, order.state === 'review')),
        ui.text(`**Total ${dollars(sum([subtotal(items), tip]))}**`),
        ui.divider(),
        ...(order.state === 'review' ? review(order) : declined(order)),
      ),
    ),
  })
}

function lineRow(line: OrderLine, index: number, isOpen: boolean): UiNode {
  const { item, quantity } = line
  const amount = (label: string, name: string, wanted: number) =>
    ui.button({
      label,
      accessibility: { label: `${name}: ${item.name}` },
      action: ui.action('SET_QUANTITY', { index, quantity: wanted }),
    })
  return ui.row(
    { justify: 'spaceBetween', align: 'center' },
    ui.text(`${lineText(line)}, ${dollars(linePrice(line))}`, { variant: 'caption', weight: 1 }),
    isOpen && quantity > 1 && amount('−', 'One less', quantity - 1),
    isOpen && quantity < 20 && amount('+', 'One more', quantity + 1),
  )
}

function review(order: ShownOrder): UiNode[] {
  return [
    ui.row(
      { align: 'end' },
      ui.textField({ label: 'Tip in dollars', value: path('/tip'), variant: 'number', weight: 1 }),
      ui.button({ label: 'Change the tip', action: ui.action('SET_TIP', { tip: path('/tip') }) }),
    ),
    cards(order),
    ui.row(
      ui.button({
        label: 'Place order',
        variant: 'primary',
        action: ui.action('CONFIRM', { selectedPaymentId: path('/payment'), tip: path('/tip') }),
      }),
      ui.button({ label: 'Change payment', action: ui.action('CHANGE_PAYMENT') }),
      ui.button({ label: 'Cancel', action: ui.action('CANCEL') }),
    ),
  ]
}

function declined(order: ShownOrder): UiNode[] {
  return [
    cards(order),
    ui.row(
      ui.button({
        label: 'Use this card',
        variant: 'primary',
        action: ui.action('SELECT_PAYMENT', { paymentId: path('/payment') }),
      }),
      ui.button({ label: 'Change the order', action: ui.action('MODIFY') }),
      ui.button({ label: 'Change payment', action: ui.action('CHANGE_PAYMENT') }),
      ui.button({ label: 'Cancel', action: ui.action('CANCEL') }),
    ),
  ]
}

function cards({ paymentMethods }: ShownOrder): UiNode {
  return ui.choicePicker({
    label: 'Pay with',
    variant: 'mutuallyExclusive',
    options: paymentMethods.map(({ id, label }) => ({ label, value: id })),
    value: path('/payment'),
  })
}
