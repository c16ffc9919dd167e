import { expect, test } from 'vitest'
import { said } from './parts.test-helper.ts'
import { quickReplies } from './quick-replies.ts'

const question = (text: string, options?: unknown) =>
  said('clarify', { text, metadata: { partType: 'clarify', ...(options !== undefined && { options }) } })

test.each([
  ['Did you mean the flight from Gatwick or Heathrow?', ['Gatwick', 'Heathrow']],
  ['ExampleTravel asks: Did you mean the flight from Gatwick or Heathrow?', ['Gatwick', 'Heathrow']],
  ['Which one: Rome, New York or São Paulo?', ['Rome', 'New York', 'São Paulo']],
  ['Where would you like to fly to?', []],
  ['Shall I book it or not?', []],
])('%s', (text, replies) => {
  expect(quickReplies(question(text))).toEqual(replies)
})

test('options that the question brings come before what its words offer', () => {
  expect(quickReplies(question('Gatwick or Heathrow?', ['Both', 'Both', 'Neither']))).toEqual(['Both', 'Neither'])
})

test('options that are no short texts are left out', () => {
  expect(quickReplies(question('?', ['ok', 1, '', 'x'.repeat(61), { a: 1 }]))).toEqual(['ok'])
  expect(
    quickReplies(
      question(
        '?',
        Array.from({ length: 20 }, (_, index) => `${index}`),
      ),
    ),
  ).toHaveLength(8)
})

test('a long text without an end costs little', () => {
  expect(quickReplies(question(`${'Aa '.repeat(200_000)}or`))).toEqual([])
})
