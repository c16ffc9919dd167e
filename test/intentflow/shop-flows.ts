import type { BeachOptions } from '@cool-ai/beach'
import { PartTypeRegistry } from '@cool-ai/beach-core'
import { defineEventHandlers, defineFlow, FlowError, FlowRegistry } from '@intentflow/core'
import { createFlows, type FlowsOptions } from '@intentflow/core/server'
import { assign, setup } from 'xstate'
import * as z from 'zod'
import { runtime } from '../agui/agent.ts'

interface TableTypes {
  context: { name?: string; code?: string; problem?: string }
  events: { type: 'CONFIRM'; name: string } | { type: 'BOOKED'; code: string } | { type: 'FAILURE'; message: string }
}

const types = {} as TableTypes

const table = defineFlow({
  intentId: 'table.book',
  meta: { title: 'Book a table', description: 'Books a table for some people.', expiresInMs: 60 * 60 * 1_000 },
  schema: z.object({ guests: z.int().min(1), note: z.string().default('') }),
  machine: setup({ types }).createMachine({
    id: 'table.book',
    initial: 'asking',
    states: {
      asking: { on: { CONFIRM: { target: 'booking', actions: assign({ name: ({ event }) => event.name }) } } },
      booking: {
        on: {
          BOOKED: { target: 'booked', actions: assign({ code: ({ event }) => event.code }) },
          FAILURE: { target: 'asking', actions: assign({ problem: ({ event }) => event.message }) },
        },
      },
      booked: { type: 'final' },
    },
  }),
  events: {
    CONFIRM: {
      source: 'client',
      label: 'Book it',
      confirm: true,
      schema: z.object({
        name: z.string().min(1),
        area: z.enum(['inside', 'terrace']).default('inside'),
        highChairs: z.int().min(0).optional(),
        isBirthday: z.boolean().default(false),
      }),
    },
    BOOKED: { source: 'server' },
    FAILURE: { source: 'server' },
  },
  text: ({ props, state, context }) =>
    `A table for ${props.guests}, <${state}>${typeof context.problem === 'string' ? `: ${context.problem}` : ''}`,
})

/** What an agent needs to have a flow that books tables; a guest who is called Nobody gets none. */
export function tableFlows(options: Partial<FlowsOptions> = {}) {
  const booked: unknown[] = []
  const handlers = defineEventHandlers(table, {
    CONFIRM: ({ payload }) => {
      if (payload.name === 'Nobody') throw new FlowError('MUTATION_FAILED', 'There is no table left.')
      booked.push(payload)
      return { event: 'BOOKED', payload: { code: `T${booked.length}` } }
    },
  })
  const registry = new FlowRegistry().register(table, { handlers })
  const flows = createFlows({ registry, runtime, secret: new Uint8Array(32).fill(7), ...options })
  const partTypes = PartTypeRegistry.canonical()
  flows.registerPartTypes(partTypes)
  const beach: Partial<BeachOptions> = {
    slices: [flows.slice],
    channels: [flows.channel()],
    exposedTools: flows.mcpTools(),
    partTypes,
  }
  return { flows, beach, booked, partTypes }
}
