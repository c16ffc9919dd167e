import { expect, test } from 'vitest'
import { z } from 'zod'
import { extractAnswer, extractEntities, missingEntities } from './entities.ts'

const size = z.enum(['small', 'medium', 'large']).meta({ words: { large: ['big', 'grande'] } })
const milk = z.enum(['whole', 'oat']).meta({ words: { oat: ['oat milk'], whole: ['whole milk'] } })
const order = z.object({
  items: z
    .array(
      z.object({
        name: z.string().meta({ rest: true }),
        quantity: z.int().min(1).max(20).optional(),
        size: size.optional(),
        milk: milk.optional(),
      }),
    )
    .meta({ question: 'What would you like?' }),
  location: z
    .string()
    .optional()
    .meta({ after: ['at', 'from'] }),
})
const about = ['order', 'get']

test.each([
  ['order two large flat whites', [{ name: 'flat whites', quantity: 2, size: 'large' }]],
  [
    'Order a big oat milk latte and 3 muffins, please',
    [
      { name: 'latte', quantity: 1, size: 'large', milk: 'oat' },
      { name: 'muffins', quantity: 3 },
    ],
  ],
  [
    'order a cappuccino with oat milk, a croissant',
    [
      { name: 'cappuccino', quantity: 1, milk: 'oat' },
      { name: 'croissant', quantity: 1 },
    ],
  ],
  ['order my usual', [{ name: 'usual' }]],
])('what is wanted: %s', (text, items) => {
  expect(extractEntities(order, text, about)).toEqual({ entities: { items }, missing: [] })
})

test('a place is what comes after its word, and is not taken for something else', () => {
  const { entities } = extractEntities(order, 'get me a latte at the Harbour please', about)
  expect(entities).toEqual({ items: [{ name: 'latte', quantity: 1 }], location: 'Harbour' })
})

test('nothing is guessed: what was not said is missing, with the question for it', () => {
  expect(extractEntities(order, 'I want to order', about)).toEqual({
    entities: {},
    missing: [{ field: 'items', question: 'What would you like?' }],
  })
})

test('numbers out of range, and what is no whole number where one is wanted, are not taken', () => {
  const schema = z.object({ guests: z.int().min(1).max(20), rating: z.number().optional() })
  for (const text of ['for 400 people', 'for 0 people']) {
    expect(extractEntities(schema, text).missing).toEqual([{ field: 'guests', question: 'Which guests?' }])
  }
  expect(extractEntities(schema, '4.5 stars from twelve').entities).toEqual({ guests: 12, rating: 4.5 })
})

test('a thing with a number that cannot be is not taken for one of it', () => {
  for (const text of ['order 21 lattes', 'order 0 lattes', 'order -2 lattes', 'order −2 lattes']) {
    expect(extractEntities(order, text, about).missing).toEqual([{ field: 'items', question: 'What would you like?' }])
  }
  expect(extractEntities(z.object({ degrees: z.number() }), 'set it to -2.5 degrees').entities).toEqual({
    degrees: -2.5,
  })
})

test('patterns, yes and no, and lists of choices are found', () => {
  const schema = z.object({
    orderNumber: z
      .string()
      .regex(/^CF-\d+$/)
      .optional(),
    vegan: z
      .boolean()
      .optional()
      .meta({ words: { true: ['vegan', 'without milk'] } }),
    days: z.array(z.enum(['monday', 'tuesday', 'friday'])).optional(),
  })
  const { entities } = extractEntities(schema, 'is cf-1042 vegan? on Friday and Monday')
  expect(entities).toEqual({ orderNumber: 'cf-1042', vegan: true, days: ['monday', 'friday'] })
  expect(extractEntities(schema, 'what about CFO-12').entities).toEqual({})
})

test('an answer to a question is taken for what was asked', () => {
  expect(extractAnswer(order, 'location', 'the Harbour')).toBe('Harbour')
  expect(extractAnswer(order, 'items', 'two lattes')).toEqual([{ name: 'lattes', quantity: 2 }])
  expect(extractAnswer(order, 'nothing', 'two lattes')).toBeUndefined()
  expect(extractAnswer(z.object({ size }), 'size', 'the big one')).toBe('large')
  expect(extractAnswer(z.object({ size }), 'size', 'whatever')).toBeUndefined()
  expect(missingEntities(z.object({ size }), {})).toEqual([
    { field: 'size', question: 'Which size?', options: ['small', 'medium', 'large'] },
  ])
})
