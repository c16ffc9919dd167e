import { assign, setup } from 'xstate'
import * as z from 'zod'
import { defineFlow } from './define-flow.ts'
import { defineIntent } from './intent.ts'

const orderItem = z.object({ id: z.string(), name: z.string(), quantity: z.int().positive() })

interface OrderTypes {
  context: { total: number; tip?: number; orderId?: string }
  events:
    | { type: 'CONFIRM'; tip?: number }
    | { type: 'EDIT' }
    | { type: 'SUCCESS'; orderId: string }
    | { type: 'FAILURE' }
    | { type: 'child.done.chosen' }
}

const types = {} as OrderTypes

const machine = setup({
  types,
  guards: { isNotEmpty: ({ context }) => context.total > 0 },
}).createMachine({
  id: 'order.place',
  context: { total: 0 },
  initial: 'review',
  states: {
    review: {
      on: {
        CONFIRM: {
          guard: 'isNotEmpty',
          target: 'processing',
          actions: assign({ tip: ({ event }) => event.tip ?? 0 }),
        },
        EDIT: 'editing',
        'child.done.chosen': { actions: assign({ total: ({ context }) => context.total + 1 }) },
      },
    },
    editing: { on: { CONFIRM: 'review' } },
    processing: {
      on: {
        SUCCESS: { target: 'confirmed', actions: assign({ orderId: ({ event }) => event.orderId }) },
        FAILURE: 'review',
      },
    },
    confirmed: {
      type: 'final',
      meta: {
        followUp: {
          intentId: 'order.track',
          props: ({ context }: { context: { orderId: string } }) => ({ orderId: context.orderId }),
        },
      },
    },
  },
})

/** A flow of a coffee shop, for tests. */
export const orderPlace = defineFlow({
  intentId: 'order.place',
  version: '2.0.0',
  meta: {
    title: 'Place an order',
    description: 'Reviews, pays and sends an order.',
    category: 'orders',
    displayMode: 'fullscreen',
    examples: ['order a coffee'],
  },
  schema: z.object({ items: z.array(orderItem), note: z.string().optional() }),
  machine,
  context: (props) => ({ total: props.items.reduce((sum, { quantity }) => sum + quantity, 0) }),
  events: {
    CONFIRM: { source: 'client', schema: z.object({ tip: z.number().optional() }), label: 'Pay', confirm: true },
    EDIT: { source: 'client' },
    SUCCESS: { source: 'server' },
    FAILURE: { source: 'server' },
  },
  permissions: { auth: true, roles: ['guest', 'member'], scopes: ['orders:write'], features: ['ordering'] },
  migrations: [
    {
      from: '1.0.0',
      to: '1.1.0',
      up: ({ item, ...rest }) => ({ ...rest, items: [item] }),
      down: ({ items, ...rest }) => ({ ...rest, item: (items as unknown[])[0] }),
    },
    {
      from: '1.1.0',
      to: '2.0.0',
      up: ({ comment, ...rest }) => ({ ...rest, note: comment }),
      down: ({ note, ...rest }) => ({ ...rest, comment: note }),
    },
  ],
  text: ({ props }) => props.items.map(({ name, quantity }) => `${quantity} ${name}`).join(', '),
})

export const orderIntent = defineIntent({
  flow: orderPlace,
  extractionSchema: z.object({ item: z.string().optional(), quantity: z.int().positive().optional() }),
  examples: ['order a coffee', 'I would like a cappuccino'],
  keywords: ['coffee', 'buy'],
  disambiguateFrom: { 'order.track': 'that one is about an order that was already placed' },
  capabilities: ['takes several items'],
  limitations: ['no delivery'],
  related: ['order.track'],
})

const tracking = setup({}).createMachine({
  id: 'order.track',
  initial: 'preparing',
  states: { preparing: { on: { READY: 'ready' } }, ready: { type: 'final' } },
})

export const orderTrack = defineFlow({
  intentId: 'order.track',
  meta: { title: 'Track an order', description: 'Shows where an order is.', category: 'orders', streaming: true },
  schema: z.object({ orderId: z.string() }),
  machine: tracking,
  events: { READY: { source: 'server' } },
})

export const trackIntent = defineIntent({
  intentId: 'order.track',
  extractionSchema: z.object({}),
  keywords: ['status'],
  contextRequires: { activeFlow: ['order.place'] },
})
