import type { Principal } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { setup } from 'xstate'
import * as z from 'zod'
import { orderIntent, orderPlace, orderTrack, trackIntent } from '../definition/coffee.test-helper.ts'
import { defineEventHandlers } from '../definition/event-handlers.ts'
import { defineFlow } from '../definition/define-flow.ts'
import { defineHydrator } from '../definition/hydrator.ts'
import { defineIntent, intentIdOfTool } from '../definition/intent.ts'
import type { Flow } from '../definition/flow.ts'
import { createRegistry, FlowRegistry, type RegistryEvent } from './flow-registry.ts'

const machine = setup({}).createMachine({ initial: 'open', states: { open: { on: { CLOSE: 'closed' } }, closed: {} } })
const menu = defineFlow({
  intentId: 'menu.browse',
  meta: { title: 'Menü', description: 'Shows what there is to eat and drink.', category: 'shop', displayMode: 'modal' },
  schema: z.object({}),
  machine,
  events: { CLOSE: { source: 'client' } },
})
const shop = () =>
  new FlowRegistry()
    .register(orderPlace, { intent: orderIntent })
    .register(orderTrack, { intent: trackIntent })
    .register(menu)
const ids = (flows: readonly { readonly intentId: string }[]) => flows.map(({ intentId }) => intentId)
const versioned = (version: string): Flow => ({ ...menu, version })

describe('lookup', () => {
  test('only what is registered can be found', () => {
    const registry = shop()
    expect(registry.hasFlow('order.place')).toBe(true)
    expect(registry.hasFlow('order.steal')).toBe(false)
    expect(registry.hasFlow('toString')).toBe(false)
    expect(registry.getFlow('order.place')).toBe(orderPlace)
    expect(registry.getFlow('order.place', '9.0.0')).toBeUndefined()
    expect(registry.getIntent('order.track')).toBe(trackIntent)
    expect(registry.getIntents()).toEqual([orderIntent, trackIntent])
    expect(ids(registry.getFlows())).toEqual(['order.place', 'order.track', 'menu.browse'])
  })

  test('versions stand side by side; the newest one is meant unless one is named', () => {
    const registry = shop().register(versioned('1.10.0')).register(versioned('1.9.0'))
    expect(registry.getFlow('menu.browse')?.version).toBe('1.10.0')
    expect(registry.getFlow('menu.browse', '1.0.0')?.version).toBe('1.0.0')
    expect(registry.versions('menu.browse')).toEqual(['1.10.0', '1.9.0', '1.0.0'])
    expect(ids(registry.getFlows())).toHaveLength(3)
    expect(registry.unregister('menu.browse', '1.10.0')).toBe(true)
    expect(registry.getFlow('menu.browse')?.version).toBe('1.9.0')
    expect(registry.unregister('menu.browse')).toBe(true)
    expect(registry.hasFlow('menu.browse')).toBe(false)
    expect(registry.unregister('menu.browse')).toBe(false)
  })

  test('what belongs to another flow is refused', () => {
    expect(() => shop().register(menu, { intent: orderIntent })).toThrow('was given the intent of order.place')
    expect(() => shop().register({} as Flow)).toThrow('register takes what defineFlow has made')
  })
})

describe('filters', () => {
  const ann: Principal = { kind: 'user', id: 'ann', tenant: 't', scopes: ['orders:write'] }
  const guest: Principal = { kind: 'anonymous', id: 'x', tenant: 't' }

  test.each([
    [{ category: 'orders' }, ['order.place', 'order.track']],
    [{ displayMode: 'modal' }, ['menu.browse']],
    [{ requiresAuth: true }, ['order.place']],
    [{ requiresAuth: false }, ['order.track', 'menu.browse']],
    [{ requiresAuth: false, category: 'orders' }, ['order.track']],
    [{ allowedFor: { principal: guest } }, ['order.track', 'menu.browse']],
    [
      { allowedFor: { principal: ann, roles: ['guest'], features: ['ordering'] } },
      ['order.place', 'order.track', 'menu.browse'],
    ],
    [{ activeFlows: [] }, ['order.place', 'menu.browse']],
    [{ activeFlows: ['order.place'] }, ['order.place', 'order.track', 'menu.browse']],
  ] as const)('%o', (filter, expected) => {
    expect(ids(shop().getFlows(filter))).toEqual(expected)
    expect(ids(shop().toToolDefinitions(filter))).toEqual(expected)
  })
})

describe('search', () => {
  test.each([
    ['track', 'order.track'],
    ['status', 'order.track'],
    ['place order', 'order.place'],
    ['cappuccino', 'order.place'],
    ['capuccino', 'order.place'],
    ['menu', 'menu.browse'],
    ['brows', 'menu.browse'],
    ['something to drink', 'menu.browse'],
  ])('%s finds %s first', (text, intentId) => {
    const found = shop().search(text)
    expect(found[0]?.intentId).toBe(intentId)
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a))
    for (const { score } of found) expect(score > 0 && score <= 1).toBe(true)
  })

  test('nothing is found for nothing, and not for what has nothing to do with it', () => {
    expect(shop().search('')).toEqual([])
    expect(shop().search('?!')).toEqual([])
    expect(shop().search('zzzz')).toEqual([])
  })

  test('by so many, and among those that pass', () => {
    expect(shop().search('order', { limit: 1 })).toHaveLength(1)
    expect(ids(shop().search('order', { filter: { category: 'shop' } }))).toEqual([])
  })
})

test('categories have their flows; one without a description is called by its id', () => {
  const registry = shop().describeCategory({ id: 'orders', label: 'Your orders', description: 'd', icon: '☕' })
  expect(registry.categories()).toEqual([
    { id: 'shop', label: 'Shop', flows: ['menu.browse'] },
    { id: 'orders', label: 'Your orders', description: 'd', icon: '☕', flows: ['order.place', 'order.track'] },
  ])
})

test('listeners learn what is registered, updated and removed, until they stop', () => {
  const registry = shop()
  const received: RegistryEvent[] = []
  const stops = (['registered', 'updated', 'removed'] as const).map((type) =>
    registry.on(type, (event) => received.push(event)),
  )
  registry.register(menu).register(versioned('2.0.0'))
  registry.unregister('menu.browse')
  expect(received.map(({ type, version }) => `${type} ${version}`)).toEqual([
    'updated 1.0.0',
    'registered 2.0.0',
    'removed 1.0.0',
    'removed 2.0.0',
  ])
  for (const stop of stops) stop()
  registry.register(menu)
  expect(received).toHaveLength(4)
})

describe('what others are told of the flows', () => {
  test('models get tools whose names lead back, and inputs as JSON Schema', () => {
    const [place, track, browse] = shop().toToolDefinitions()
    expect(place).toEqual({
      name: 'order__place',
      intentId: 'order.place',
      description: [
        'Place an order: Reviews, pays and sends an order.',
        'Asked for as: "order a coffee", "I would like a cappuccino".',
        'It can: takes several items.',
        'It cannot: no delivery.',
        'Not to be mistaken for order__track: that one is about an order that was already placed.',
      ].join('\n'),
      inputSchema: {
        type: 'object',
        properties: {
          item: { type: 'string' },
          quantity: { type: 'integer', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        },
      },
    })
    expect([track, browse].map((tool) => intentIdOfTool(tool?.name ?? ''))).toEqual(['order.track', 'menu.browse'])
    expect(browse?.inputSchema).toEqual({ type: 'object', properties: {}, additionalProperties: false })
  })

  test('a manifest has everything, as JSON', () => {
    const manifest = shop().toCapabilityManifest()
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest)
    expect(manifest).toMatchObject({
      protocol: 'intentflow',
      v: 1,
      flows: [
        {
          intentId: 'order.place',
          version: '2.0.0',
          tool: 'order__place',
          finalStates: ['confirmed'],
          events: [
            { name: 'CONFIRM', source: 'client', label: 'Pay', confirm: true, payloadSchema: { type: 'object' } },
            { name: 'EDIT', source: 'client' },
            { name: 'SUCCESS', source: 'server' },
            { name: 'FAILURE', source: 'server' },
          ],
          propsSchema: { type: 'object', required: ['items'] },
          permissions: { roles: ['guest', 'member'] },
          related: ['order.track'],
        },
        { intentId: 'order.track' },
        { intentId: 'menu.browse' },
      ],
      categories: [{ id: 'orders' }, { id: 'shop' }],
    })
  })
})

describe('createRegistry', () => {
  const hydrator = defineHydrator(orderTrack, () => ({ orderId: 'o' }))
  const handlers = defineEventHandlers(orderPlace, { CONFIRM: async () => ({}) })
  const watch = () => {}

  test('joins what belongs together', () => {
    const registry = createRegistry({
      flows: [orderPlace, orderTrack],
      intents: [orderIntent, trackIntent],
      hydrators: [hydrator],
      handlers: [handlers],
      watches: { 'order.track': watch },
      categories: [{ id: 'orders', label: 'Orders!' }],
    })
    expect(registry.get('order.place')).toEqual({ flow: orderPlace, intent: orderIntent, handlers })
    expect(registry.get('order.track')).toEqual({ flow: orderTrack, intent: trackIntent, hydrator, watch })
    expect(registry.categories()[0]?.label).toBe('Orders!')
  })

  test('refuses what belongs to nothing, or twice to the same', () => {
    expect(() => createRegistry({ flows: [menu], hydrators: [hydrator] })).toThrow(
      'There is a hydrator for order.track, but no such flow. Flows: menu.browse.',
    )
    expect(() => createRegistry({ flows: [menu], watches: { 'a.b': watch } })).toThrow('There is a watch for a.b')
    expect(() => createRegistry({ flows: [orderTrack], hydrators: [hydrator, hydrator] })).toThrow(
      'more than one hydrator',
    )
  })

  test('an intent alone is joined by its id', () => {
    const intent = defineIntent({ intentId: 'menu.browse', keywords: ['food'] })
    expect(createRegistry({ flows: [menu], intents: [intent] }).search('food')[0]?.intentId).toBe('menu.browse')
  })
})
