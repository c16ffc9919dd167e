import { defineConversation, defineEventHandlers, defineFlow, defineHydrator, defineIntent } from '@intentflow/core'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import { dollars } from '../domain/money.ts'
import { lineText } from '../domain/order-line.ts'
import { orderLineSchema } from '../domain/order-line-schema.ts'
import { canBeCancelled } from '../domain/preparation.ts'
import type { Shop } from '../domain/shop.ts'
import { orderName } from './shapes.ts'
import { asked } from './shop-errors.ts'

interface Context {
  /** Why it was not cancelled. */
  readonly problem: string | null
}

type MachineEvent =
  | { readonly type: 'CONFIRM' | 'KEEP' | 'SUCCESS' }
  | { readonly type: 'FAILURE'; readonly payload: { readonly message?: string } }

const types: { context?: Context; events?: MachineEvent } = {}

const machine = setup({ types }).createMachine({
  id: 'order.cancel',
  initial: 'confirming',
  context: { problem: null },
  states: {
    confirming: { on: { CONFIRM: { target: 'cancelling' }, KEEP: { target: 'kept' } } },
    cancelling: {
      on: {
        SUCCESS: { target: 'cancelled' },
        FAILURE: {
          target: 'too_late',
          actions: assign(({ event }) => ({
            problem: event.payload.message ?? 'The order could not be cancelled.',
          })),
        },
      },
    },
    too_late: { on: { KEEP: { target: 'kept' } } },
    cancelled: { type: 'final' },
    kept: { type: 'final' },
  },
})

/** Takes an order back, after a question. */
export const orderCancel = defineFlow({
  intentId: 'order.cancel',
  meta: {
    title: 'Cancel an order',
    description: 'Cancels an order as long as it is not ready, and refunds it.',
    category: 'order',
    icon: 'cross',
    displayMode: 'modal',
    priority: 'high',
    expiresInMs: 10 * 60 * 1_000,
  },
  schema: z.object({
    orderId: z.string(),
    confirmationNumber: z.string(),
    items: z.array(orderLineSchema),
    total: z.number(),
    refundTo: z.string(),
  }),
  machine,
  events: {
    CONFIRM: { source: 'client', label: 'Cancel the order', confirm: true },
    KEEP: { source: 'client', label: 'Keep the order' },
    SUCCESS: { source: 'server' },
    FAILURE: { source: 'server' },
  },
  text: ({ props: { confirmationNumber, items, total, refundTo }, context: { problem } }) =>
    [
      `Cancel order ${confirmationNumber}? ${dollars(total)} go back to ${refundTo}.`,
      ...items.map((line) => `- ${lineText(line)}`),
      ...(typeof problem === 'string' ? [problem] : []),
    ].join('\n'),
})

export const orderCancelIntent = defineIntent({
  flow: orderCancel,
  extractionSchema: z.object({ orderId: orderName }),
  examples: ['cancel my order', 'I want to cancel my order', 'cancel CF-10042', 'take my order back'],
  keywords: ['cancel', 'cancel my order', 'take back', 'refund'],
  disambiguateFrom: { 'order.track': 'See the status of an order' },
  capabilities: ['Cancels an order that is not ready, with a refund.'],
  limitations: ['Not once it is ready.'],
  related: ['order.track'],
})

export function orderCancelHydrator(shop: Shop) {
  return defineHydrator(orderCancel, orderCancelIntent, ({ entities, principal, signal }) =>
    asked('HYDRATION_FAILED', async () => {
      const order = await shop.order(principal, entities.orderId, signal)
      const { paymentMethods } = await shop.account(principal, signal)
      const method = paymentMethods.find(({ id }) => id === order.paymentId)
      const props = {
        orderId: order.id,
        confirmationNumber: order.confirmationNumber,
        items: order.items,
        total: order.total,
        refundTo: method?.label ?? 'your card',
      }
      if (canBeCancelled(shop.preparation(order))) return props
      const problem = 'It is too late to cancel: your order is ready.'
      return { props, context: { problem }, initialState: 'too_late' }
    }),
  )
}

export function orderCancelHandlers(shop: Shop) {
  return defineEventHandlers(orderCancel, {
    CONFIRM: {
      idempotent: true,
      run: ({ props, principal, signal }) =>
        asked('MUTATION_FAILED', async () => {
          const { id, total } = await shop.cancel(principal, props.orderId, signal)
          return { event: 'SUCCESS', result: { orderId: id, refund: total } }
        }),
    },
  })
}

export const orderCancelTalk = defineConversation(orderCancel, [
  { says: ['(no|keep it|keep the order|no keep it|dont|do not|never mind|nevermind|forget it)'], means: 'KEEP' },
  { says: ['(cancel it|yes cancel it|yes cancel|cancel the order|cancel my order)'], means: 'CONFIRM' },
])
