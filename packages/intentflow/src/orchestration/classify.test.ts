import { createMachine } from 'xstate'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { defineFlow } from '../definition/define-flow.ts'
import { classifyInFlow } from './understand.ts'
import { defineConversation } from './conversation.ts'

const flow = defineFlow({
  intentId: 'table.book',
  meta: { title: 'Book a table', description: 'Books a table.' },
  schema: z.object({ guests: z.int() }),
  machine: createMachine({
    initial: 'review',
    states: {
      review: { on: { CONFIRM: { target: 'done' }, SET_TIME: { target: 'review' }, CHECK_MENU: { target: 'review' } } },
      waiting: { on: { DONE: { target: 'done' } } },
      done: { type: 'final' },
    },
  }),
  events: {
    CONFIRM: { source: 'client', label: 'Book it now', confirm: true },
    CHECK_MENU: { source: 'client' },
    SET_TIME: { source: 'client', schema: z.object({ hour: z.int() }) },
    DONE: { source: 'server' },
  },
})

const talk = defineConversation(flow, [
  { says: ['at {hour:number} [oclock]'], means: 'SET_TIME' },
  {
    says: ['for {guests:number} [people|guests]'],
    means: ({ found, props }) =>
      found.guests === props.guests ? undefined : { kind: 'modify', change: { patch: { guests: found.guests } } },
  },
])
const here = { state: 'review', props: { guests: 2 }, context: {}, dismissable: true }

test.each([
  ['at seven please', { kind: 'event', event: 'SET_TIME', payload: { hour: 7 } }],
  ['for 4 people', { kind: 'modify', change: { patch: { guests: 4 } } }],
  ['for 2 people', { kind: 'unrelated' }],
  ['book it now', { kind: 'event', event: 'CONFIRM' }],
  ['Check menu', { kind: 'event', event: 'CHECK_MENU' }],
  ['yes please', { kind: 'event', event: 'CONFIRM' }],
  ['sounds good', { kind: 'event', event: 'CONFIRM' }],
  ['yes?', { kind: 'unrelated' }],
  ['Book it now? ', { kind: 'unrelated' }],
  ['Check menu?', { kind: 'event', event: 'CHECK_MENU' }],
  ['set time', { kind: 'unrelated' }],
  ['done', { kind: 'unrelated' }],
  ['never mind', { kind: 'dismiss' }],
  ['how is the weather', { kind: 'unrelated' }],
])('“%s” is %o', (text, meant) => {
  expect(classifyInFlow(flow, talk, here, text)).toEqual(meant)
})

test('only what a state takes can be said in it', () => {
  const waiting = { ...here, state: 'waiting' }
  for (const text of ['at seven', 'yes', 'done', 'book it now']) {
    expect(classifyInFlow(flow, talk, waiting, text), text).toEqual({ kind: 'unrelated' })
  }
})

test('a flow that cannot be dismissed is not, and one without rules takes the labels of its events', () => {
  expect(classifyInFlow(flow, talk, { ...here, dismissable: false }, 'never mind')).toEqual({ kind: 'unrelated' })
  expect(classifyInFlow(flow, undefined, here, 'book it now')).toEqual({ kind: 'event', event: 'CONFIRM' })
})

test('rules that cannot work are refused where they are written', () => {
  expect(() => defineConversation(flow, [{ says: ['done'], means: 'DONE' }])).toThrow(
    expect.objectContaining({
      code: 'INVALID_REGISTRATION',
      message: expect.stringContaining('DONE is no event that clients send') as unknown,
    }),
  )
  expect(() => defineConversation(flow, [{ says: ['a (b'], means: 'CONFIRM' }])).toThrow(/table\.book: .* is no phrase/)
  expect(() => defineConversation(flow, [{ says: ['a'], in: ['nowhere'], means: 'CONFIRM' }])).toThrow(
    /no state nowhere/,
  )
})
