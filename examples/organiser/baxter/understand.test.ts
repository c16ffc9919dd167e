import { expect, test } from 'vitest'
import { understand } from './understand.ts'

test.each([
  [
    'ask travel for flights to Corfu in August and put them in my week',
    { kind: 'ask', message: 'flights to Corfu in August', keep: true },
  ],
  ['Ask ExampleTravel about hotels in Lisbon', { kind: 'ask', message: 'hotels in Lisbon', keep: false }],
  ['ask Sally to research Corfu', { kind: 'ask', message: 'research Corfu', keep: false }],
  ['add dentist on 2026-08-19 at 9:30', { kind: 'add', title: 'dentist', date: '2026-08-19', time: '09:30' }],
  ['add dentist on 2026-13-45 at 99:99', { kind: 'add', title: 'dentist', date: '2026-13-45', time: '99:99' }],
  ['add dentist on 2026-08-19 at 10am', { kind: 'add', title: 'dentist', date: '2026-08-19', time: '10am' }],
  ['put the bins out on 2026-08-20', { kind: 'add', title: 'the bins out', date: '2026-08-20' }],
  ['remove dentist from my week', { kind: 'remove', title: 'dentist' }],
  ['what is in my week?', { kind: 'show' }],
  ['show the week of 2026-08-15', { kind: 'show', day: '2026-08-15' }],
  ['ask travel for flights to Corfu\nin August', { kind: 'ask', message: 'flights to Corfu\nin August', keep: false }],
  ['hello', { kind: 'unclear' }],
])('%s', (text, wish) => {
  expect(understand(text)).toEqual(wish)
})
