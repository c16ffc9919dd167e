import { createRegistry, defineEventHandlers, defineFlow, defineHydrator, defineIntent } from '@intentflow/core'
import { assign, createMachine } from 'xstate'
import { z } from 'zod'

/** A task with a user interface of its own: data with a schema, and a state machine that decides what can happen. */
export const tableBook = defineFlow({
  intentId: 'table.book',
  meta: { title: 'Book a table', description: 'Reviews and books a table.', displayMode: 'inline' },
  schema: z.object({ guests: z.int().min(1).max(12) }),
  machine: createMachine({
    initial: 'review',
    context: {},
    states: {
      review: { on: { CONFIRM: 'booking' } },
      booking: {
        on: { SUCCESS: { target: 'booked', actions: assign(({ event }) => event.payload) }, FAILURE: 'review' },
      },
      booked: { on: { CLOSE: 'closed' } },
      closed: { type: 'final' },
    },
  }),
  events: {
    CONFIRM: { source: 'client', label: 'Book it', confirm: true },
    CLOSE: { source: 'client', label: 'OK' },
    SUCCESS: { source: 'server' },
    FAILURE: { source: 'server' },
  },
  text: ({ props, state }) =>
    state === 'booked' ? `A table for ${props.guests} is booked.` : `A table for ${props.guests}.`,
})

const intent = defineIntent({
  flow: tableBook,
  extractionSchema: z.object({ guests: z.number().optional() }),
  examples: ['book a table', 'a table for four', 'I would like a table'],
  keywords: ['table', 'reserve'],
})

const hydrator = defineHydrator(tableBook, intent, async ({ entities }) => ({ guests: entities.guests ?? 2 }))

const handlers = defineEventHandlers(tableBook, {
  // Runs once for each CONFIRM; the idempotencyKey is the same when it is run again after a crash.
  CONFIRM: async ({ props, idempotencyKey }) => ({
    event: 'SUCCESS',
    payload: { reference: `T-${idempotencyKey.slice(-4)}-${props.guests}` },
  }),
})

export const registry = createRegistry({
  flows: [tableBook],
  intents: [intent],
  hydrators: [hydrator],
  handlers: [handlers],
})
