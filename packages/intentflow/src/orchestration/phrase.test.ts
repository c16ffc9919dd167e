import { expect, test } from 'vitest'
import { phraseOf, readPhrase } from './phrase.ts'

test.each([
  ['make it {quantity:number}', 'Make it two, please', { quantity: 2 }],
  ['make it {quantity:number}', 'could you make it 3?', { quantity: 3 }],
  ['make it {quantity:number}', 'make it large', undefined],
  ['add {quantity:number} {item}', 'add a blueberry muffin', { quantity: 1, item: 'blueberry muffin' }],
  ['add {item} [to it|to my order]', 'Add Crème brûlée to my order', { item: 'Crème brûlée' }],
  ['(never mind|forget it)', 'oh, never mind', {}],
  ['(never mind|forget it)', 'never mind the price', undefined],
  ['swap {one} for {other}', 'swap the latte for two mochas', { one: 'the latte', other: 'two mochas' }],
  ['ok', 'OK', {}],
])('%s, said as “%s”', (source, text, found) => {
  expect(readPhrase(phraseOf(source), text)).toEqual(found)
})

test.each(['', 'make it {', 'a (b|c', 'a [b (c)]', '  '])('“%s” is refused with what to do', (source) => {
  expect(() => phraseOf(source)).toThrow(/is no phrase: use words/)
})

test('a long text takes no long time', () => {
  const phrase = phraseOf('swap {one} for {other} at {place}')
  expect(readPhrase(phrase, `swap ${'for '.repeat(10_000)}`)).toBeUndefined()
})
