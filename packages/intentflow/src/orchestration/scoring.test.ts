import { expect, test } from 'vitest'
import { scorer, type KnownIntent } from './scoring.ts'

const intents: readonly KnownIntent[] = [
  {
    intentId: 'order.place',
    examples: ['order a {item}', 'I would like a {item}', 'order my usual'],
    keywords: ['order a', 'order my', 'i would like', 'buy'],
    values: ['small', 'large'],
    open: true,
  },
  {
    intentId: 'order.track',
    examples: ['where is my order', 'track my order'],
    keywords: ['track', 'where is'],
    values: [],
    open: false,
  },
  { intentId: 'order.cancel', examples: ['cancel my order'], keywords: ['cancel'], values: [], open: false },
]
const score = scorer(intents)

test.each([
  ['order my usual', 'order.place', 1],
  ['Order a caramel macchiato', 'order.place', 0.9],
  ["where's my order?", 'order.track', 0.7],
  ['track my orders', 'order.track', 0.9],
  ['please cancel my order', 'order.cancel', 0.9],
])('“%s” is %s', (text, intentId, min) => {
  const [best, next] = score(text)
  expect(best?.intentId).toBe(intentId)
  expect(best?.confidence).toBeGreaterThanOrEqual(min)
  expect(best?.confidence).toBeGreaterThan((next?.confidence ?? 0) + 0.1)
})

test.each(['what is the weather in Rome', 'tell me a joke', '', '???'])('“%s” is none of them', (text) => {
  expect(score(text)[0]?.confidence ?? 0).toBeLessThan(0.7)
})

test('a keyword in the middle of something else says little', () => {
  const aside = 'the newspaper wrote that airlines cancel flights whenever storms close airports near mountains'
  expect(score(aside)[0]?.confidence ?? 0).toBeLessThan(0.7)
})
