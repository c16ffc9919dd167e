import {
  defineConversation,
  defineEventHandlers,
  defineFlow,
  defineHydrator,
  defineIntent,
  type FlowWatch,
} from '@intentflow/core'
import { sleep } from '@cool-ai/beach-core'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import type { Order } from '../domain/account.ts'
import { locations } from '../domain/locations.ts'
import { lineText } from '../domain/order-line.ts'
import { orderLineSchema } from '../domain/order-line-schema.ts'
import { statuses, type OrderStatus } from '../domain/preparation.ts'
import type { Shop } from '../domain/shop.ts'
import { locationShape, orderName } from './shapes.ts'
import { asked } from './shop-errors.ts'

interface Context {
  /** Why it could not be collected. */
  readonly problem: string | null
}

type MachineEvent =
  | {
      readonly type:
        | 'READY'
        | 'CANCELLED'
        | 'COLLECTED'
        | 'CANCEL_ORDER'
        | 'COLLECT'
        | 'child.done.cancelled'
        | 'SUCCESS'
    }
  | { readonly type: 'FAILURE'; readonly payload: { readonly message?: string } }

const types: { context?: Context; events?: MachineEvent } = {}

const machine = setup({ types }).createMachine({
  id: 'order.track',
  initial: 'preparing',
  context: { problem: null },
  states: {
    preparing: {
      on: {
        READY: { target: 'ready' },
        CANCELLED: { target: 'cancelled' },
        CANCEL_ORDER: { target: 'preparing' },
        'child.done.cancelled': { target: 'cancelled' },
      },
    },
    ready: { on: { COLLECT: { target: 'collecting' }, COLLECTED: { target: 'collected' } } },
    collecting: {
      on: {
        SUCCESS: { target: 'collected' },
        FAILURE: {
          target: 'ready',
          actions: assign(({ event }) => ({
            problem: event.payload.message ?? 'That did not work.',
          })),
        },
      },
    },
    collected: { type: 'final' },
    cancelled: { type: 'final' },
  },
})

/** Where an order is, as it goes on. */
export const orderTrack = defineFlow({
  intentId: 'order.track',
  meta: {
    title: 'Track an order',
    description: 'Shows the status of an order, live.',
    category: 'order',
    icon: 'clock',
    displayMode: 'inline',
    streaming: true,
    expiresInMs: 24 * 60 * 60 * 1_000,
  },
  schema: z.object({
    orderId: z.string(),
    confirmationNumber: z.string(),
    status: z.enum(statuses),
    /** Minutes until it is ready. */
    estimatedTime: z.int().nonnegative(),
    progress: z.int().min(0).max(100),
    items: z.array(orderLineSchema),
    location: locationShape,
    total: z.number(),
  }),
  machine,
  events: {
    READY: { source: 'server' },
    CANCELLED: { source: 'server' },
    COLLECTED: { source: 'server' },
    CANCEL_ORDER: { source: 'client', label: 'Cancel the order' },
    COLLECT: { source: 'client', label: 'I have it' },
    'child.done.cancelled': { source: 'server' },
    SUCCESS: { source: 'server' },
    FAILURE: { source: 'server' },
  },
  text({ props: { confirmationNumber, status, estimatedTime, items, location } }) {
    const where = `at ${location.name}${location.address === undefined ? '' : `, ${location.address}`}`
    const words: Record<OrderStatus, string> = {
      received: `has been received ${where}; ready in about ${estimatedTime} minutes`,
      preparing: `is being prepared ${where}; ready in about ${estimatedTime} minutes`,
      ready: `is ready ${where}`,
      collected: 'has been collected',
      cancelled: 'was cancelled',
    }
    return [`Order ${confirmationNumber} ${words[status]}.`, ...items.map((line) => `- ${lineText(line)}`)].join('\n')
  },
})

export const orderTrackIntent = defineIntent({
  flow: orderTrack,
  extractionSchema: z.object({ orderId: orderName }),
  examples: [
    'where is my order',
    'track my order',
    'is my order ready',
    'how long until my coffee is ready',
    'track CF-10042',
  ],
  keywords: ['track', 'where is', 'wheres', 'is my order ready', 'how long', 'status', 'order status', 'ready'],
  disambiguateFrom: { 'order.cancel': 'Take an order back' },
  capabilities: ['Follows an order until it is ready.'],
  related: ['order.cancel'],
})

export function orderTrackHydrator(shop: Shop) {
  return defineHydrator(orderTrack, orderTrackIntent, ({ entities, principal, signal }) =>
    asked('HYDRATION_FAILED', async () => {
      const order = await shop.order(principal, entities.orderId, signal)
      const { status } = shop.preparation(order)
      const props = {
        orderId: order.id,
        confirmationNumber: order.confirmationNumber,
        ...changing(shop, order),
        items: order.items,
        location: locationOf(order),
        total: order.total,
      }
      return { props, ...(status === 'ready' && { initialState: 'ready' }) }
    }),
  )
}

function locationOf({ locationId }: Order) {
  const location = locations.find(({ id }) => id === locationId)
  if (location === undefined) throw new Error(`There is no shop ${locationId}.`)
  const { id, name, address, estimatedTime } = location
  return { id, name, address, estimatedTime }
}

function changing(shop: Shop, order: Order) {
  const { status, estimatedTime, progress } = shop.preparation(order)
  return { status, estimatedTime, progress }
}

const stateOf: Partial<Readonly<Record<OrderStatus, string>>> = {
  ready: 'READY',
  cancelled: 'CANCELLED',
  collected: 'COLLECTED',
}

/** Shows each change of the order while the flow is open, also when the order is cancelled elsewhere. */
export function orderTrackWatch(shop: Shop): FlowWatch {
  return async ({ props, state }, watching) => {
    const { signal } = watching
    let shown = JSON.stringify([props.status, props.estimatedTime, props.progress])
    let sent = state === 'ready' ? 'READY' : undefined
    while (!signal.aborted) {
      const order = await shop.orderById(String(props.orderId), signal)
      const now = changing(shop, order)
      const next = JSON.stringify([now.status, now.estimatedTime, now.progress])
      if (next !== shown) await watching.update({ patch: now })
      shown = next
      const event = stateOf[now.status]
      if (event !== undefined && event !== sent) await watching.send(event)
      sent = event ?? sent
      const { nextAt = Infinity } = shop.preparation(order)
      const waitMs = Math.min(nextAt - shop.clock.now(), shop.minuteMs)
      if (waitMs > 0) await sleep(shop.clock, waitMs, signal)
    }
  }
}

export function orderTrackHandlers(shop: Shop) {
  return defineEventHandlers(orderTrack, {
    READY: {
      run: ({ props }) => ({
        action: {
          action: 'notification',
          config: { title: 'Your order is ready', body: `${props.confirmationNumber} at ${props.location.name}` },
          responseRequired: false,
        },
      }),
    },
    CANCEL_ORDER: {
      idempotent: true,
      run: ({ props }) => ({ child: { intentId: 'order.cancel', entities: { orderId: props.orderId } } }),
    },
    COLLECT: {
      idempotent: true,
      run: ({ props, principal, signal }) =>
        asked('MUTATION_FAILED', async () => {
          const { id } = await shop.collect(principal, props.orderId, signal)
          return { event: 'SUCCESS', result: { orderId: id, status: 'collected' } }
        }),
    },
  })
}

export const orderTrackTalk = defineConversation(orderTrack, [
  {
    says: ['cancel [it|that|my order|the order]', 'i want to cancel [it|that|my order|the order]'],
    means: 'CANCEL_ORDER',
  },
  { says: ['(got it|i got it|i have it|picked it up|i picked it up|collected|thanks got it)'], means: 'COLLECT' },
])
