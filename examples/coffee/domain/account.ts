import { z } from 'zod'
import { menuItem } from './menu.ts'
import { orderLine } from './order-line.ts'
import { orderLineSchema, type OrderLine } from './order-line-schema.ts'

const paymentMethodSchema = z.object({
  id: z.string(),
  label: z.string(),
  type: z.enum(['card', 'wallet']),
  last4: z.string().optional(),
  /** By when the card is valid, as MM/YY. */
  expires: z.string().optional(),
})
export type PaymentMethod = z.infer<typeof paymentMethodSchema>

export const orderSchema = z.object({
  id: z.string(),
  confirmationNumber: z.string(),
  items: z.array(orderLineSchema).min(1),
  tip: z.number(),
  total: z.number(),
  locationId: z.string(),
  paymentId: z.string(),
  placedAt: z.number(),
  cancelledAt: z.number().optional(),
  collectedAt: z.number().optional(),
})
export type Order = z.infer<typeof orderSchema>

/** What the shop knows of a customer. */
export const accountSchema = z.object({
  name: z.string(),
  usual: z.array(orderLineSchema),
  usualLocationId: z.string(),
  paymentMethods: z.array(paymentMethodSchema),
  defaultPaymentId: z.string(),
  /** The ids of the orders, oldest first. */
  orders: z.array(z.string()),
  /** Keys of the cards that were added: adding one twice with the same key is adding it once. */
  added: z.record(z.string(), z.string()),
})
export type Account = z.infer<typeof accountSchema>

function line(id: string, quantity: number, options: OrderLine['selectedOptions'] = {}): OrderLine {
  const item = menuItem(id)
  if (item === undefined) throw new Error(`There is no ${id} on the menu.`)
  return orderLine(item, quantity, options)
}

/** Three regular customers. */
export const customers: readonly Account[] = [
  {
    name: 'Alex',
    usual: [line('item_001', 1, { size: 'large', milk: 'oat' })],
    usualLocationId: 'loc_001',
    paymentMethods: [
      { id: 'pm_001', label: 'Visa ••4242', type: 'card', last4: '4242', expires: '09/29' },
      { id: 'pm_002', label: 'Mastercard ••0002', type: 'card', last4: '0002', expires: '01/28' },
      { id: 'pm_003', label: 'Beans wallet', type: 'wallet' },
    ],
    defaultPaymentId: 'pm_001',
    orders: [],
    added: {},
  },
  {
    name: 'Robin',
    usual: [line('item_002', 1, { size: 'small', milk: 'whole' }), line('item_031', 1)],
    usualLocationId: 'loc_002',
    paymentMethods: [
      { id: 'pm_001', label: 'Mastercard ••5454', type: 'card', last4: '5454', expires: '03/30' },
      { id: 'pm_002', label: 'Visa ••0002', type: 'card', last4: '0002', expires: '11/27' },
    ],
    defaultPaymentId: 'pm_001',
    orders: [],
    added: {},
  },
  {
    name: 'Sam',
    usual: [line('item_010', 1, { size: 'medium' }), line('item_032', 2)],
    usualLocationId: 'loc_003',
    paymentMethods: [
      { id: 'pm_001', label: 'Visa ••1881', type: 'card', last4: '1881', expires: '06/28' },
      { id: 'pm_002', label: 'Mastercard ••0002', type: 'card', last4: '0002', expires: '02/28' },
    ],
    defaultPaymentId: 'pm_001',
    orders: [],
    added: {},
  },
]

/** What the processor says to a card; the last digits decide, as with test cards. */
export function declineOf({ last4 }: PaymentMethod): { processorCode: string; processorMessage: string } | undefined {
  return last4 === '0002' ? { processorCode: 'insufficient_funds', processorMessage: 'Card declined' } : undefined
}
