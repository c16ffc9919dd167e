import { localMatcher, understand, type ActiveFlows, type Understood } from '@intentflow/core'
import { systemClock, type Principal } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { memoryBooks } from '../domain/books.ts'
import { Shop } from '../domain/shop.ts'
import { coffeeFlows } from './coffee-flows.ts'

const registry = coffeeFlows(new Shop({ books: memoryBooks(), clock: systemClock, minuteMs: 1_000 }))
const matcher = localMatcher(registry)
const principal: Principal = { kind: 'anonymous', id: 'anon_1', tenant: 'default' }

function received(text: string, flows: ActiveFlows = {}): Understood {
  return understand(text, { registry, matcher, flows, principal })
}

test.each([
  ['order my usual', 'order.place', { items: [{ name: 'usual' }] }],
  ['My usual, please!', 'order.place', { items: [{ name: 'usual' }] }],
  ['Can I have a large latte?', 'order.place', { items: [{ name: 'latte', quantity: 1, size: 'large' }] }],
  [
    'two flat whites with oat milk at the harbour, please',
    'order.place',
    { items: [{ name: 'flat whites', quantity: 2, milk: 'oat' }], location: 'harbour' },
  ],
  [
    'get me a croissant and two espressos',
    'order.place',
    {
      items: [
        { name: 'croissant', quantity: 1 },
        { name: 'espressos', quantity: 2 },
      ],
    },
  ],
  ['show me the menu', 'menu.browse', {}],
  ['what cold drinks do you have?', 'menu.browse', { category: 'cold' }],
  ['what vegan food is there', 'menu.browse', { category: 'bakery', vegan: true }],
  ["where's my order?", 'order.track', {}],
  ['track CF-10042', 'order.track', { orderId: 'CF-10042' }],
  ['is my coffee ready yet', 'order.track', {}],
  ['cancel my order', 'order.cancel', {}],
  ['please cancel cf-10042', 'order.cancel', { orderId: 'cf-10042' }],
  ['I want to change my card', 'account.update_payment', {}],
  ['a coffee please', 'menu.browse', { category: 'coffee' }],
  ['do you have tea?', 'menu.browse', { category: 'tea' }],
  ['something sweet', 'menu.browse', { category: 'bakery' }],
  ['/order.track', 'order.track', {}],
])('“%s” is %s', (text, intentId, entities) => {
  expect(received(text)).toEqual({ kind: 'open', intentId, entities })
})

test.each(['what is the weather in Rome', 'tell me a joke', 'thanks', 'who won the match yesterday'])(
  '“%s” has to do with nothing here',
  (text) => {
    expect(received(text)).toEqual({ kind: 'none' })
  },
)

test('what was not said is asked for', () => {
  expect(received('I want to order')).toMatchObject({
    kind: 'ask',
    clarify: { question: 'What would you like?', about: { intentId: 'order.place', field: 'items' } },
  })
})

const line = { item: { id: 'item_001', name: 'Cappuccino', price: 5 }, quantity: 1, selectedOptions: {} }
const open: ActiveFlows = {
  f1: {
    intentId: 'order.place',
    version: '1.0.0',
    state: 'review',
    props: {
      items: [line, { ...line, item: { id: 'item_030', name: 'Blueberry muffin', price: 3.1 } }],
      paymentMethods: [{ id: 'pm_002', label: 'Mastercard ••0002', type: 'card' }],
    },
    context: {},
    displayMode: 'sheet',
    priority: 'normal',
    dismissable: true,
    seq: 0,
    createdAt: 1,
    updatedAt: 1,
  },
}
const inOrder = { instanceId: 'f1', intentId: 'order.place' }

test.each([
  ['make it two', { kind: 'modify', change: { operations: [{ op: 'set', path: 'items[1].quantity', value: 2 }] } }],
  ['actually two', { kind: 'modify', change: { operations: [{ op: 'set', path: 'items[1].quantity', value: 2 }] } }],
  ['2 of them', { kind: 'modify', change: { operations: [{ op: 'set', path: 'items[1].quantity', value: 2 }] } }],
  ['no, oat milk', { kind: 'event', event: 'SET_OPTION', payload: { index: 1, option: 'milk', value: 'oat' } }],
  ['I meant a croissant', { kind: 'event', event: 'ADD_ITEM', payload: { name: 'croissant', quantity: 1 } }],
  ['pay', { kind: 'event', event: 'CONFIRM', payload: {} }],
  ['checkout', { kind: 'event', event: 'CONFIRM', payload: {} }],
  ['the mastercard', { kind: 'event', event: 'SELECT_PAYMENT', payload: { paymentId: 'pm_002' } }],
  ['make it large', { kind: 'event', event: 'SET_OPTION', payload: { index: 1, option: 'size', value: 'large' } }],
  ['with oat milk', { kind: 'event', event: 'SET_OPTION', payload: { index: 1, option: 'milk', value: 'oat' } }],
  ['add two oat cookies', { kind: 'event', event: 'ADD_ITEM', payload: { milk: 'oat', name: 'cookies', quantity: 2 } }],
  ['remove the cappuccino', { kind: 'event', event: 'REMOVE_ITEM', payload: { index: 0 } }],
  ['use my mastercard', { kind: 'event', event: 'SELECT_PAYMENT', payload: { paymentId: 'pm_002' } }],
  ['use another card', { kind: 'event', event: 'CHANGE_PAYMENT', payload: {} }],
  ['tip two dollars', { kind: 'event', event: 'SET_TIP', payload: { tip: 2 } }],
  ['pick it up at the station', { kind: 'event', event: 'SELECT_LOCATION', payload: { locationId: 'loc_003' } }],
  ['place order', { kind: 'event', event: 'CONFIRM' }],
  ['yes, go ahead', { kind: 'event', event: 'CONFIRM' }],
  ['never mind', { kind: 'dismiss' }],
])('in an order “%s” is %o', (text, meant) => {
  expect(received(text, open)).toEqual({ ...meant, ...inOrder })
})

test('what has nothing to do with the open flow is heard as if it were not there', () => {
  expect(received('show me the menu', open)).toEqual({ kind: 'open', intentId: 'menu.browse', entities: {} })
})

test('what cannot be done in a state of a flow is not done', () => {
  const placing = { f1: { ...open.f1, state: 'placing' } } as ActiveFlows
  expect(received('make it two', placing)).toEqual({ kind: 'none' })
  expect(received('yes', placing)).toEqual({ kind: 'none' })
})
