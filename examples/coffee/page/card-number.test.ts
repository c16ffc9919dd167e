import { expect, test } from 'vitest'
import { cardToken } from './card-number.ts'

test('what leaves the page are the brand, four digits and the date', () => {
  expect(cardToken('4111 1111 1111 1111', '9/29')).toEqual({ brand: 'Visa', last4: '1111', expires: '09/29' })
  expect(cardToken('5555-5555-5555-4444', '12/2030')).toEqual({ brand: 'Mastercard', last4: '4444', expires: '12/30' })
})

test.each([
  ['4111 1111 1111 1112', '09/29', /not a card number/],
  ['1234', '09/29', /not a card number/],
  ['4111 1111 1111 1111', '13/29', /09\/29/],
  ['4111 1111 1111 1111', '', /09\/29/],
])('%s, %s is told to be wrong', (number, expires, problem) => {
  expect(cardToken(number, expires)).toMatch(problem)
})
