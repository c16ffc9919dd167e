import {
  defineConversation,
  defineEventHandlers,
  defineFlow,
  defineHydrator,
  defineIntent,
  extractEntities,
  FlowError,
} from '@intentflow/core'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import { locations } from '../domain/locations.ts'
import { menu } from '../domain/menu.ts'
import { itemCalled, locationCalled, milkCalled, sizeCalled } from '../domain/names.ts'
import { dollars, sum } from '../domain/money.ts'
import { lineText, mergedLines, subtotal, withOption } from '../domain/order-line.ts'
import { orderLineSchema } from '../domain/order-line-schema.ts'
import type { Shop } from '../domain/shop.ts'
import { orderSurface } from './order-surface.ts'
import { lineIndex, locationShape, paymentShape, wantedItem } from './shapes.ts'
import { asked } from './shop-errors.ts'
import { wantedLine, wantedLines } from './wanted-lines.ts'

interface Context {
  /** Empty when none is: a declined card does not stay chosen. */
  readonly selectedPaymentId: string
  readonly declinedPaymentId?: string
  readonly tip: number
  /** Why the card was not taken. */
  readonly problem: string | null
  readonly orderId?: string
  readonly confirmationNumber?: string
  readonly total?: number
}

type MachineEvent =
  | { readonly type: 'SELECT_PAYMENT'; readonly payload: { readonly paymentId: string } }
  | { readonly type: 'child.done.saved'; readonly payload: { readonly result: { readonly paymentId: string } } }
  | { readonly type: 'SET_TIP'; readonly payload: { readonly tip: number } }
  | { readonly type: 'CONFIRM'; readonly payload: { readonly selectedPaymentId?: string; readonly tip?: number } }
  | { readonly type: 'SUCCESS'; readonly payload: Required<Pick<Context, 'orderId' | 'confirmationNumber' | 'total'>> }
  | { readonly type: 'FAILURE'; readonly payload: Failure }
  | { readonly type: 'SET_QUANTITY' | 'SET_OPTION' | 'ADD_ITEM' | 'REMOVE_ITEM' | 'SELECT_LOCATION' }
  | { readonly type: 'CHANGE_PAYMENT' | 'MODIFY' | 'CANCEL' }

interface Failure {
  readonly message?: string
  readonly details?: { readonly appCode?: string }
}

/** Why an order was not placed; its card does not stay chosen when it was declined. */
function failed({ selectedPaymentId }: Context, { message, details }: Failure): Partial<Context> {
  const problem = message ?? 'The order could not be placed.'
  if (details?.appCode !== 'CARD_DECLINED') return { problem }
  return { problem, selectedPaymentId: '', declinedPaymentId: selectedPaymentId }
}

function chosen({ paymentId }: { readonly paymentId: string }): Partial<Context> {
  return { selectedPaymentId: paymentId, problem: null }
}

const types: { context?: Context; events?: MachineEvent } = {}

const machine = setup({ types }).createMachine({
  id: 'order.place',
  initial: 'review',
  context: { selectedPaymentId: '', tip: 0, problem: null },
  states: {
    review: {
      on: {
        SET_QUANTITY: { target: 'review' },
        SET_OPTION: { target: 'review' },
        ADD_ITEM: { target: 'review' },
        REMOVE_ITEM: { target: 'review' },
        SELECT_LOCATION: { target: 'review' },
        SELECT_PAYMENT: { target: 'review', actions: assign(({ event }) => chosen(event.payload)) },
        SET_TIP: { target: 'review', actions: assign(({ event }) => ({ tip: event.payload.tip })) },
        CHANGE_PAYMENT: { target: 'review' },
        'child.done.saved': { target: 'review', actions: assign(({ event }) => chosen(event.payload.result)) },
        CONFIRM: {
          target: 'placing',
          actions: assign(({ context, event: { payload } }) => ({
            selectedPaymentId: payload.selectedPaymentId ?? context.selectedPaymentId,
            tip: payload.tip ?? context.tip,
            problem: null,
          })),
        },
        CANCEL: { target: 'cancelled' },
      },
    },
    placing: {
      on: {
        SUCCESS: {
          target: 'confirmed',
          actions: assign(({ event: { payload } }) => ({
            orderId: payload.orderId,
            confirmationNumber: payload.confirmationNumber,
            total: payload.total,
          })),
        },
        FAILURE: {
          target: 'declined',
          actions: assign(({ context, event }) => failed(context, event.payload)),
        },
      },
    },
    declined: {
      on: {
        MODIFY: { target: 'review' },
        SELECT_PAYMENT: { target: 'review', actions: assign(({ event }) => chosen(event.payload)) },
        CHANGE_PAYMENT: { target: 'review' },
        CANCEL: { target: 'cancelled' },
      },
    },
    confirmed: {
      type: 'final',
      meta: {
        followUp: {
          intentId: 'order.track',
          props: ({ context }: { context: Context }) => ({ orderId: context.orderId }),
        },
      },
    },
    cancelled: { type: 'final' },
  },
})

/** An order, from what the customer wants to what they have paid for. */
export const orderPlace = defineFlow({
  intentId: 'order.place',
  meta: {
    title: 'Place an order',
    description: 'Orders drinks and food for pick-up, and pays for them.',
    category: 'order',
    icon: 'cup',
    displayMode: 'sheet',
    expiresInMs: 30 * 60 * 1_000,
  },
  schema: z.object({
    items: z.array(orderLineSchema).min(1).max(50),
    location: locationShape,
    locations: z.array(locationShape).optional(),
    paymentMethods: z.array(paymentShape).min(1),
    defaultPaymentId: z.string().optional(),
  }),
  machine,
  context: ({ paymentMethods, defaultPaymentId }) => ({ selectedPaymentId: defaultPaymentId ?? paymentMethods[0]?.id }),
  events: {
    SET_QUANTITY: { source: 'client', schema: z.object({ index: lineIndex, quantity: z.int().min(1).max(20) }) },
    SET_OPTION: {
      source: 'client',
      schema: z.object({ index: lineIndex, option: z.enum(['size', 'milk']), value: z.string().max(40) }),
    },
    ADD_ITEM: { source: 'client', schema: wantedItem },
    REMOVE_ITEM: { source: 'client', schema: z.object({ index: lineIndex }) },
    SELECT_LOCATION: { source: 'client', schema: z.object({ locationId: z.string().max(40) }) },
    SELECT_PAYMENT: { source: 'client', schema: z.object({ paymentId: z.string().max(40) }) },
    SET_TIP: { source: 'client', schema: z.object({ tip: z.number().min(0).max(50) }) },
    CHANGE_PAYMENT: { source: 'client', label: 'Change payment' },
    'child.done.saved': { source: 'server' },
    CONFIRM: {
      source: 'client',
      label: 'Place order',
      confirm: true,
      schema: z.object({ selectedPaymentId: z.string().max(40).optional(), tip: z.number().min(0).max(50).optional() }),
    },
    MODIFY: { source: 'client', label: 'Change the order' },
    CANCEL: { source: 'client', label: 'Cancel' },
    SUCCESS: { source: 'server' },
    FAILURE: { source: 'server' },
  },
  text({ props: { items, location, paymentMethods }, context, state }) {
    const { selectedPaymentId, tip, problem } = context as unknown as Context
    const card = paymentMethods.find(({ id }) => id === selectedPaymentId)
    const total = dollars(sum([subtotal(items), tip]))
    return [
      `Your order at ${location.name}, ready in about ${location.estimatedTime} minutes:`,
      ...items.map((line) => `- ${lineText(line)}`),
      `Total ${total}${tip > 0 ? ` with a tip of ${dollars(tip)}` : ''}${card ? `, by ${card.label}` : ''}.`,
      ...(state === 'declined' && problem !== null ? [problem] : []),
    ].join('\n')
  },
  surface({ instanceId, state, props, context }) {
    const { selectedPaymentId, tip, problem } = context as unknown as Context
    return orderSurface({ instanceId, state, ...props, selectedPaymentId, tip, problem })
  },
})

export const orderPlaceIntent = defineIntent({
  flow: orderPlace,
  extractionSchema: z.object({
    items: z
      .array(wantedItem)
      .min(1)
      .max(20)
      .meta({ question: 'What would you like?', options: ['My usual', 'A flat white', 'A cappuccino'] }),
    location: z
      .string()
      .max(100)
      .optional()
      .meta({ after: ['at', 'from'] }),
  }),
  examples: [
    'order my usual',
    'my usual please',
    'order a {item}',
    'I would like a {item}',
    'can I have a {item}',
    'get me {item}',
    'buy a {item}',
    'ill have {item}',
    'I want {item}',
    'I want to order',
  ],
  keywords: [
    'order a',
    'order an',
    'order my',
    'order me',
    'get me',
    'i would like',
    'id like',
    'can i have',
    'can i get',
    'ill have',
    'buy',
    'place an order',
    'usual',
    ...menu.map(({ name }) => name),
    'muffin',
    'cookie',
  ],
  disambiguateFrom: {
    'order.track': 'Where is an order that I have placed?',
    'menu.browse': 'What is there to order?',
  },
  capabilities: ['Orders for pick-up, with size and milk of your choice.'],
  limitations: ['No delivery.'],
  related: ['menu.browse', 'order.track'],
})

export function orderPlaceHydrator(shop: Shop) {
  return defineHydrator(orderPlace, orderPlaceIntent, ({ entities, principal, signal }) =>
    asked('HYDRATION_FAILED', async () => {
      const account = await shop.account(principal, signal)
      const wanted = entities.location === undefined ? undefined : locationCalled(entities.location)
      const location = wanted ?? locations.find(({ id }) => id === account.usualLocationId) ?? locations[0]
      return {
        items: wantedLines(entities.items, account),
        location: shown(location),
        locations: locations.map(shown),
        paymentMethods: account.paymentMethods.map(({ id, label, type }) => ({ id, label, type })),
        defaultPaymentId: account.defaultPaymentId,
      }
    }),
  )
}

type ShownLocation = z.infer<typeof locationShape>

function shown(location: Readonly<ShownLocation> | undefined): ShownLocation {
  if (location === undefined) throw new Error('The shop has no locations.')
  const { id, name, address, estimatedTime } = location
  return { id, name, address, estimatedTime }
}

export function orderPlaceHandlers(shop: Shop) {
  return defineEventHandlers(orderPlace, {
    SET_QUANTITY: {
      idempotent: true,
      run: ({ props, payload: { index, quantity } }) => {
        lineAt(props.items, index)
        return { propsUpdate: { operations: [{ op: 'set', path: `items[${index}].quantity`, value: quantity }] } }
      },
    },
    SET_OPTION: {
      idempotent: true,
      run: ({ props, payload: { index, option, value } }) => {
        const line = withOption(lineAt(props.items, index), option, value)
        return { propsUpdate: { operations: [{ op: 'set', path: `items[${index}]`, value: line }] } }
      },
    },
    ADD_ITEM: {
      run: ({ props, payload }) =>
        asked('MUTATION_FAILED', async () => ({
          propsUpdate: { patch: { items: mergedLines([...props.items, wantedLine(payload)]) } },
        })),
    },
    REMOVE_ITEM: {
      run: ({ props, payload: { index } }) => {
        lineAt(props.items, index)
        if (props.items.length === 1) {
          throw new FlowError('MUTATION_FAILED', 'An order needs at least one item. Cancel it if you want nothing.')
        }
        return { propsUpdate: { operations: [{ op: 'delete', path: `items[${index}]` }] } }
      },
    },
    SELECT_LOCATION: {
      idempotent: true,
      run: ({ payload: { locationId } }) => {
        const location = locations.find(({ id }) => id === locationId)
        if (location === undefined) throw new FlowError('INVALID_PAYLOAD', 'There is no such shop.')
        return { propsUpdate: { patch: { location: shown(location) } } }
      },
    },
    CHANGE_PAYMENT: { idempotent: true, run: () => ({ child: { intentId: 'account.update_payment' } }) },
    'child.done.saved': {
      idempotent: true,
      run: async ({ principal, signal }) => {
        const { paymentMethods } = await shop.account(principal, signal)
        const methods = paymentMethods.map(({ id, label, type }) => ({ id, label, type }))
        return { propsUpdate: { patch: { paymentMethods: methods } } }
      },
    },
    CONFIRM: {
      // The shop takes the key: placing an order again with the same one is placing it once.
      idempotent: true,
      run: ({ props, context, principal, idempotencyKey, signal }) =>
        asked('MUTATION_FAILED', async () => {
          const { selectedPaymentId, tip } = context as unknown as Context
          const { items, location } = props
          if (selectedPaymentId === '') throw new FlowError('MUTATION_FAILED', 'Choose a card to pay with first.')
          const draft = { items, locationId: location.id, paymentId: selectedPaymentId, tip }
          const { id, confirmationNumber, total } = await shop.place(principal, draft, idempotencyKey, signal)
          const placed = { orderId: id, confirmationNumber, total }
          return { event: 'SUCCESS', payload: placed, result: placed }
        }),
    },
  })
}

function lineAt<Line>(items: readonly Line[], index: number): Line {
  const line = items[index]
  if (line === undefined) throw new FlowError('INVALID_PAYLOAD', `The order has no line ${index + 1}.`)
  return line
}

/** What can be said while an order is open. */
export const orderPlaceTalk = defineConversation(orderPlace, [
  {
    says: [
      '(never mind|nevermind|forget it|forget the order|cancel|cancel it|cancel that|cancel the order|cancel my order)',
    ],
    in: ['review', 'declined'],
    means: () => ({ kind: 'dismiss' }),
  },
  {
    says: [
      '(make it|make that|change it to|change that to|i want|id like|no|actually|sorry|rather|no make it) {quantity:number} [of them|of those|please]',
      '{quantity:number} of (them|those) [please]',
    ],
    in: ['review'],
    means: ({ found: { quantity }, props: { items } }) =>
      typeof quantity === 'number' && Number.isInteger(quantity) && quantity >= 1 && quantity <= 20
        ? {
            kind: 'modify',
            change: { operations: [{ op: 'set', path: `items[${items.length - 1}].quantity`, value: quantity }] },
          }
        : undefined,
  },
  {
    says: [
      '(make it|make that|change it to|change that to|with|in|no|actually|sorry|rather|i meant|i mean|no i meant) [a] {choice}',
      '{choice} [instead|please]',
    ],
    in: ['review'],
    means: ({ found: { choice }, props: { items } }) => {
      const size = sizeCalled(String(choice))
      const milk = milkCalled(String(choice))
      const value = size?.id ?? milk?.id
      if (value === undefined) return undefined
      return {
        kind: 'event',
        event: 'SET_OPTION',
        payload: { index: items.length - 1, option: size ? 'size' : 'milk', value },
      }
    },
  },
  {
    says: [
      '(add|use|i want to use) (a new|another|a different|a) (card|payment|payment method)',
      '(change|update) [my|the] (card|payment|payment method)',
      'new card',
    ],
    means: 'CHANGE_PAYMENT',
  },
  {
    says: [
      'tip {tip:number} [dollars|dollar]',
      'add a tip of {tip:number} [dollars|dollar]',
      'add {tip:number} [dollars|dollar] tip',
      '(no tip|without a tip)',
    ],
    in: ['review'],
    means: ({ found: { tip = 0 } }) => ({ kind: 'event', event: 'SET_TIP', payload: { tip } }),
  },
  {
    says: [
      '(add|and|plus|also|i also want|also add|i meant|i mean|no i meant) {item} [to it|to my order|to the order|as well|too]',
    ],
    in: ['review'],
    means: ({ found: { item } }) => {
      const { entities, missing } = extractEntities(wantedItem, String(item))
      return missing.length === 0 ? { kind: 'event', event: 'ADD_ITEM', payload: entities } : undefined
    },
  },
  {
    says: [
      '[please|ill|i will|id like to|i want to] (pay|pay now|check out|checkout|buy it|order it|thats all|thats it)',
    ],
    in: ['review'],
    means: 'CONFIRM',
  },
  {
    says: ['(remove|drop|take out|leave out|without|no) [the|my] {item}'],
    in: ['review'],
    means: ({ found: { item }, props: { items } }) => {
      const named = itemCalled(String(item))
      const index = items.findLastIndex((line) => line.item.id === named?.id)
      return index === -1 ? undefined : { kind: 'event', event: 'REMOVE_ITEM', payload: { index } }
    },
  },
  {
    says: ['(use|pay with|pay by|pay using|charge|the|my) [my|the] {card}'],
    means: ({ found: { card }, props: { paymentMethods } }) => {
      const wanted = String(card)
        .toLowerCase()
        .replaceAll(/\bcard\b|ending|in /g, '')
        .trim()
      const method = paymentMethods.find(({ label }) => wanted !== '' && label.toLowerCase().includes(wanted))
      return method && { kind: 'event', event: 'SELECT_PAYMENT', payload: { paymentId: method.id } }
    },
  },
  {
    says: ['(at|pick it up at|pick up at|collect at|collect it at|change it to|from) [the] {place}'],
    in: ['review'],
    means: ({ found: { place } }) => {
      const location = locationCalled(String(place))
      return location && { kind: 'event', event: 'SELECT_LOCATION', payload: { locationId: location.id } }
    },
  },
])
