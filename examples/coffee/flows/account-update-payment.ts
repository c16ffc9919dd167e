import { defineConversation, defineEventHandlers, defineFlow, defineHydrator, defineIntent } from '@intentflow/core'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import type { Shop } from '../domain/shop.ts'
import { paymentShape } from './shapes.ts'
import { asked } from './shop-errors.ts'

interface Context {
  /** Why it was not saved. */
  readonly problem: string | null
  readonly paymentId?: string
  readonly label?: string
}

type MachineEvent =
  | { readonly type: 'ADD_CARD' | 'SELECT' | 'CANCEL' }
  | { readonly type: 'SUCCESS'; readonly payload: { readonly paymentId: string; readonly label: string } }
  | { readonly type: 'FAILURE'; readonly payload: { readonly message?: string } }

const types: { context?: Context; events?: MachineEvent } = {}

const machine = setup({ types }).createMachine({
  id: 'account.update_payment',
  initial: 'editing',
  context: { problem: null },
  states: {
    editing: {
      on: {
        ADD_CARD: { target: 'saving', actions: assign({ problem: null }) },
        SELECT: { target: 'saving', actions: assign({ problem: null }) },
        CANCEL: { target: 'cancelled' },
      },
    },
    saving: {
      on: {
        SUCCESS: {
          target: 'saved',
          actions: assign(({ event: { payload } }) => ({ paymentId: payload.paymentId, label: payload.label })),
        },
        FAILURE: {
          target: 'editing',
          actions: assign(({ event }) => ({
            problem: event.payload.message ?? 'The card could not be saved.',
          })),
        },
      },
    },
    saved: { type: 'final' },
    cancelled: { type: 'final' },
  },
})

/** Which card pays; on its own, or within an order. */
export const updatePayment = defineFlow({
  intentId: 'account.update_payment',
  meta: {
    title: 'Change payment',
    description: 'Chooses the card that pays, or adds one.',
    category: 'account',
    icon: 'card',
    displayMode: 'modal',
    expiresInMs: 15 * 60 * 1_000,
  },
  schema: z.object({ paymentMethods: z.array(paymentShape), defaultPaymentId: z.string() }),
  machine,
  events: {
    ADD_CARD: {
      source: 'client',
      label: 'Add a card',
      // No number: it stays in the page, as it does with any payment provider's form.
      schema: z.object({
        brand: z.enum(['Visa', 'Mastercard', 'American Express']),
        last4: z.string().regex(/^\d{4}$/),
        expires: z.string().regex(/^(?:0[1-9]|1[0-2])\/\d{2}$/),
      }),
    },
    SELECT: { source: 'client', label: 'Use this card', schema: z.object({ paymentId: z.string().max(40) }) },
    CANCEL: { source: 'client', label: 'Cancel' },
    SUCCESS: { source: 'server' },
    FAILURE: { source: 'server' },
  },
  text: ({ props: { paymentMethods, defaultPaymentId }, context: { problem } }) =>
    [
      'What you pay with:',
      ...paymentMethods.map(({ id, label }) => `- ${label}${id === defaultPaymentId ? ' (now)' : ''}`),
      ...(typeof problem === 'string' ? [problem] : []),
    ].join('\n'),
})

export const updatePaymentIntent = defineIntent({
  flow: updatePayment,
  examples: ['change my card', 'update my payment method', 'add a new card', 'pay with another card'],
  keywords: ['card', 'payment', 'payment method', 'credit card', 'my wallet'],
  capabilities: ['Adds cards, and chooses the one that pays.'],
})

export function updatePaymentHydrator(shop: Shop) {
  return defineHydrator(updatePayment, async ({ principal, signal }) => {
    const { paymentMethods, defaultPaymentId } = await shop.account(principal, signal)
    return { paymentMethods: paymentMethods.map(({ id, label, type }) => ({ id, label, type })), defaultPaymentId }
  })
}

export function updatePaymentHandlers(shop: Shop) {
  const saved = ({ id, label }: { readonly id: string; readonly label: string }) => {
    const result = { paymentId: id, label }
    return { event: 'SUCCESS', payload: result, result } as const
  }
  return defineEventHandlers(updatePayment, {
    ADD_CARD: {
      idempotent: true,
      run: ({ payload, principal, idempotencyKey, signal }) =>
        asked('MUTATION_FAILED', async () => saved(await shop.addCard(principal, payload, idempotencyKey, signal))),
    },
    SELECT: {
      idempotent: true,
      run: ({ payload, principal, signal }) =>
        asked('MUTATION_FAILED', async () => saved(await shop.setDefault(principal, payload.paymentId, signal))),
    },
  })
}

export const updatePaymentTalk = defineConversation(updatePayment, [
  { says: ['(never mind|nevermind|cancel|forget it|leave it)'], means: 'CANCEL' },
  {
    says: ['(use|select|take|pay with|the|my) [my|the] {card}'],
    in: ['editing'],
    means: ({ found: { card }, props: { paymentMethods } }) => {
      const wanted = String(card).toLowerCase()
      const method = paymentMethods.find(({ label }) => label.toLowerCase().includes(wanted))
      return method && { kind: 'event', event: 'SELECT', payload: { paymentId: method.id } }
    },
  },
])
