import { expect, test } from 'vitest'
import { understand } from './understand.ts'

const today = '2026-08-12'
const on = (date: string | undefined, words = date) => ({ date, words })
const at = (time: string | undefined, words = time) => ({ time, words })

test.each([
  [
    'ask travel for flights to Corfu in August and put them in my week',
    { kind: 'ask', message: 'flights to Corfu in August', keep: true },
  ],
  ['Ask ExampleTravel about hotels in Lisbon', { kind: 'ask', message: 'hotels in Lisbon', keep: false }],
  ['ask Sally to research Corfu', { kind: 'ask', message: 'research Corfu', keep: false }],
  ['ask travel to add BA 2043 and book it', { kind: 'ask', message: 'add BA 2043 and book it', keep: false }],
  ['add BA 2043 and book it', { kind: 'ask', message: 'add BA 2043 and book it', keep: false }],
  ['plan a holiday to Corfu in August', { kind: 'ask', message: 'plan a holiday to Corfu in August', keep: false }],
  ['find me flights to Rome', { kind: 'ask', message: 'find me flights to Rome', keep: false }],
  [
    'add dentist on 2026-08-19 at 9:30',
    { kind: 'add', title: 'dentist', day: on('2026-08-19'), time: at('09:30', '9:30') },
  ],
  [
    'add dentist on 2026-13-45 at 99:99',
    { kind: 'add', title: 'dentist', day: on(undefined, '2026-13-45'), time: at(undefined, '99:99') },
  ],
  [
    'add dentist on Thursday at 10am',
    { kind: 'add', title: 'dentist', day: on('2026-08-13', 'Thursday'), time: at('10:00', '10am') },
  ],
  [
    'lunch with Anna tomorrow at noon',
    { kind: 'add', title: 'lunch with Anna', day: on('2026-08-13', 'tomorrow'), time: at('12:00', 'noon') },
  ],
  ['remind me to call mum on Sunday', { kind: 'add', title: 'call mum', day: on('2026-08-16', 'Sunday') }],
  ['put the bins out on 2026-08-20', { kind: 'add', title: 'the bins out', day: on('2026-08-20') }],
  ['add yoga to my week on Friday', { kind: 'add', title: 'yoga', day: on('2026-08-14', 'Friday') }],
  ['add dentist', { kind: 'add', title: 'dentist' }],
  ['remove dentist from my week', { kind: 'remove', title: 'dentist' }],
  ['cancel the dentist', { kind: 'remove', title: 'dentist' }],
  ['cancel that', { kind: 'undo' }],
  ['put it in my week', { kind: 'keep' }],
  ['put the second one in my calendar', { kind: 'keep' }],
  ['what is in my week?', { kind: 'show' }],
  ['am I free on Friday?', { kind: 'show', day: '2026-08-14', words: 'Friday' }],
  ['show the week of 2026-08-15', { kind: 'show', day: '2026-08-15', words: '2026-08-15' }],
  ['ask travel for flights to Corfu\nin August', { kind: 'ask', message: 'flights to Corfu\nin August', keep: false }],
  [
    'move the dentist to Friday',
    { kind: 'move', title: 'dentist', day: expect.objectContaining(on('2026-08-14', 'Friday')) as object },
  ],
  ['when is the dentist?', { kind: 'when', title: 'dentist' }],
  ['gym every Monday', { kind: 'repeating', title: 'gym', words: 'every Monday' }],
  ['add weekly meeting on Friday', { kind: 'add', title: 'weekly meeting', day: on('2026-08-14', 'Friday') }],
  [
    'and dinner on Friday evening',
    { kind: 'add', title: 'dinner', day: on('2026-08-14', 'Friday'), time: at('19:00', '') },
  ],
  [
    'drinks tomorrow evening at 7',
    { kind: 'add', title: 'drinks', day: on('2026-08-13', 'tomorrow'), time: at('19:00', '7') },
  ],
  [
    'yoga in the morning on Friday',
    { kind: 'add', title: 'yoga', day: on('2026-08-14', 'Friday'), time: at('09:00', '') },
  ],
  ['clear my week', { kind: 'remove', title: 'week' }],
  ['hello', { kind: 'talk', talk: 'hello' }],
  ['what can you do?', { kind: 'talk', talk: 'help' }],
  ['Was steht in meiner Woche? Danke', { kind: 'foreign' }],
  ['blah', { kind: 'unclear' }],
])('%s', (text, wish) => {
  expect(understand(text, today)).toEqual(wish)
})
