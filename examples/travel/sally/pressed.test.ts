import { expect, test } from 'vitest'
import { pressedWish } from './pressed.ts'

const flight = { flightNumber: 'BA 2043', date: '2026-08-15', passengers: 3 }
const chosen = (words: string, actions: readonly object[]) =>
  `${words}\n(The user means number 2 of the list that they were sent.)\n<data origin="choice">\n${JSON.stringify({ number: 2, title: 'BA 2043', actions })}\n</data>`
const offered = [
  { label: 'Add: BA 2043', name: 'add_flight', context: flight },
  { label: 'Book: BA 2043', name: 'book_flight', context: flight },
]

test.each([
  ['2', false],
  ['the second', false],
  ['book 2', true],
])('what is chosen by %s is taken as it was shown', (words, thenBook) => {
  const items = [{ type: 'flight', flightNumber: 'BA 2043', date: '2026-08-15', passengers: 3 }]
  expect(pressedWish(chosen(words, offered))).toEqual({ kind: 'add-items', items, thenBook })
})

test('what can only be removed is removed when that is said', () => {
  const removal = [{ label: 'Remove: BA 2043', name: 'remove_item', context: { itemId: 'f' } }]
  expect(pressedWish(chosen('2', removal))).toBeUndefined()
  expect(pressedWish(chosen('remove 2', removal))).toEqual({ kind: 'remove-items', itemIds: ['f'] })
})
