import {
  defineConversation,
  defineEventHandlers,
  defineFlow,
  defineHydrator,
  defineIntent,
  extractEntities,
} from '@intentflow/core'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import { categories, categoryLabels, menu, type Category } from '../domain/menu.ts'
import { dollars } from '../domain/money.ts'
import { categoryCalled } from '../domain/names.ts'
import { menuItemShape, wantedItem } from './shapes.ts'

const category = z.enum(categories)

/** What of the menu is shown. */
interface Context {
  readonly category: Category | null
  readonly vegan: boolean
}

type MachineEvent =
  | { readonly type: 'FILTER'; readonly payload: Partial<Context> }
  | { readonly type: 'ORDER' | 'child.done.confirmed' | 'CLOSE' }

const types: { context?: Context; events?: MachineEvent } = {}

const machine = setup({ types }).createMachine({
  id: 'menu.browse',
  initial: 'browsing',
  context: { category: null, vegan: false },
  states: {
    browsing: {
      on: {
        FILTER: {
          target: 'browsing',
          actions: assign(({ context, event }) => ({ ...context, ...event.payload })),
        },
        ORDER: { target: 'browsing' },
        'child.done.confirmed': { target: 'ordered' },
        CLOSE: { target: 'closed' },
      },
    },
    ordered: { type: 'final' },
    closed: { type: 'final' },
  },
})

/** What there is, to look at and to choose from. */
export const menuBrowse = defineFlow({
  intentId: 'menu.browse',
  meta: {
    title: 'See the menu',
    description: 'Shows drinks and food with their prices.',
    category: 'menu',
    icon: 'book',
    displayMode: 'fullscreen',
    expiresInMs: 60 * 60 * 1_000,
  },
  schema: z.object({
    items: z.array(menuItemShape),
    categories: z.array(z.object({ id: category, label: z.string() })),
  }),
  machine,
  events: {
    FILTER: {
      source: 'client',
      schema: z.object({ category: category.nullable().optional(), vegan: z.boolean().optional() }),
    },
    ORDER: { source: 'client', schema: wantedItem },
    'child.done.confirmed': { source: 'server' },
    CLOSE: { source: 'client', label: 'Close' },
  },
  text({ props: { items, categories: all }, context }) {
    const { category: only, vegan } = context as unknown as Context
    return all
      .filter(({ id }) => only === null || id === only)
      .map(({ id, label }) => {
        const own = items.filter((item) => item.category === id && (!vegan || item.vegan))
        return [`${label}:`, ...own.map(({ name, price }) => `- ${name}, ${dollars(price)}`)].join('\n')
      })
      .join('\n')
  },
})

export const menuBrowseIntent = defineIntent({
  flow: menuBrowse,
  extractionSchema: z.object({
    category: category.optional().meta({
      words: {
        cold: ['cold drinks', 'iced'],
        bakery: ['food', 'pastries', 'pastry', 'cake', 'snack', 'something to eat', 'something sweet'],
        tea: ['teas'],
        coffee: ['coffees'],
      },
    }),
    vegan: z
      .boolean()
      .optional()
      .meta({ words: { true: ['vegan', 'plant based', 'without milk'] } }),
  }),
  examples: [
    'show me the menu',
    'what do you have',
    'what {category} do you have',
    'see the menu',
    'what {category} is there',
    'do you have {category}',
    'a coffee',
    'something to eat',
    'something sweet',
  ],
  keywords: ['menu', 'what do you have', 'what is there', 'browse', 'prices'],
  disambiguateFrom: { 'order.place': 'Order something right away' },
  capabilities: ['Shows the menu by kind, and what is vegan.'],
  related: ['order.place'],
})

export const menuBrowseHydrator = defineHydrator(menuBrowse, menuBrowseIntent, ({ entities }) => ({
  props: {
    items: menu.map(({ also: _, options, ...item }) => ({
      ...item,
      options: Object.fromEntries(Object.entries(options).map(([name, choices]) => [name, [...choices]])),
    })),
    categories: categories.map((id) => ({ id, label: categoryLabels[id] })),
  },
  context: { category: entities.category ?? null, vegan: entities.vegan ?? false },
}))

export const menuBrowseHandlers = defineEventHandlers(menuBrowse, {
  ORDER: {
    idempotent: true,
    run: ({ payload }) => ({ child: { intentId: 'order.place', entities: { items: [payload] } } }),
  },
})

export const menuBrowseTalk = defineConversation(menuBrowse, [
  {
    says: ['(show|only|just|only show|show me|show me only|what about|and) [the|your] {category}', '{category} [only]'],
    means({ found }) {
      const named = String(found.category)
      if (/^(?:everything|all|all of it)$/i.test(named)) {
        return { kind: 'event', event: 'FILTER', payload: { category: null, vegan: false } }
      }
      if (/^vegan/i.test(named)) return { kind: 'event', event: 'FILTER', payload: { vegan: true } }
      const only = categoryCalled(named)
      return only && { kind: 'event', event: 'FILTER', payload: { category: only } }
    },
  },
  {
    says: ['(ill have|i will have|ill take|i take|i would like|id like|give me|order|add) {item}'],
    means: ({ found: { item } }) => {
      const { entities, missing } = extractEntities(wantedItem, String(item))
      return missing.length === 0 ? { kind: 'event', event: 'ORDER', payload: entities } : undefined
    },
  },
  { says: ['(close|close it|close the menu|never mind|nevermind|thanks|back)'], means: 'CLOSE' },
])
