import { createBeach, defineActor, serve } from '@cool-ai/beach'
import { PartTypeRegistry, silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import {
  defineEventHandlers,
  defineFlow,
  defineHydrator,
  defineIntent,
  FlowError,
  FlowRegistry,
} from '@intentflow/core'
import { createFlows } from '@intentflow/core/server'
import { createFlowClient, type FlowClient, type FlowClientOptions, type FlowsSnapshot } from '@intentflow/core/client'
import { onTestFinished } from 'vitest'
import { assign, setup } from 'xstate'
import * as z from 'zod'
import { mergeOptions } from '../support/merge-options.ts'

/** What the machine knows and takes; only its type counts. */
const orderTypes = {} as {
  context: { card?: string; orderId?: string; photo?: unknown }
  events:
    | { type: 'CONFIRM'; card: string }
    | { type: 'SCAN' }
    | { type: 'SCANNED'; success: boolean; result?: unknown }
    | { type: 'SUCCESS'; orderId: string }
    | { type: 'FAILURE' }
}

const order = defineFlow({
  intentId: 'order.place',
  meta: { title: 'Place an order', description: 'Reviews and sends an order.', displayMode: 'sheet' },
  schema: z.object({ items: z.array(z.object({ name: z.string(), quantity: z.int() })) }),
  machine: setup({ types: orderTypes }).createMachine({
    id: 'order.place',
    initial: 'review',
    states: {
      review: {
        on: {
          CONFIRM: { target: 'processing', actions: assign({ card: ({ event }) => event.card }) },
          SCAN: 'scanning',
        },
      },
      scanning: {
        on: { SCANNED: { target: 'review', actions: assign({ photo: ({ event }) => event.result ?? null }) } },
      },
      processing: {
        on: {
          SUCCESS: { target: 'confirmed', actions: assign({ orderId: ({ event }) => event.orderId }) },
          FAILURE: 'review',
        },
      },
      confirmed: { type: 'final' },
    },
  }),
  events: {
    CONFIRM: { source: 'client', schema: z.object({ card: z.string() }) },
    SCAN: { source: 'client' },
    SCANNED: { source: 'server' },
    SUCCESS: { source: 'server' },
    FAILURE: { source: 'server' },
  },
})

const intent = defineIntent({
  flow: order,
  extractionSchema: z.object({ item: z.string().default('tea') }),
  examples: ['order a tea'],
})

const runtime = systemRuntime({ logger: silentLogger })
const secret = new Uint8Array(32).fill(7)

/** An agent with one flow, on a port of its own: cards with `9` are declined. */
export async function startShop(options: { readonly page?: (path: string) => Response | undefined } = {}) {
  const sessions: string[] = []
  const registry = new FlowRegistry().register(order, {
    intent,
    hydrator: defineHydrator(order, intent, ({ entities, session }) => {
      sessions.push(session)
      return { items: [{ name: entities.item, quantity: 1 }] }
    }),
    handlers: defineEventHandlers(order, {
      CONFIRM: async ({ payload }) => {
        if (payload.card.includes('9')) throw new FlowError('MUTATION_FAILED', 'Payment declined.')
        return { event: 'SUCCESS', payload: { orderId: 'order_789' } }
      },
      SCAN: () => ({
        action: {
          action: 'camera_capture',
          config: { reason: 'Scan your voucher' },
          responseRequired: true,
          timeoutMs: 30_000,
          event: 'SCANNED',
        },
      }),
    }),
  })
  const flows = createFlows({ registry, runtime, secret })
  const partTypes = PartTypeRegistry.canonical()
  flows.registerPartTypes(partTypes)
  const beach = await createBeach(
    mergeOptions(
      {
        agent: { id: 'shop', name: 'Shop' },
        actors: {
          main: defineActor(async ({ text, respond }) => {
            await respond({ parts: [{ partType: 'response', text: `You said ${text}` }], turnState: 'complete' })
          }),
        },
        data: { store: new MemoryStore({ runtime }), secret },
        runtime,
        partTypes,
        slices: [flows.slice],
        channels: [flows.channel()],
        turns: { leaseMs: 1_000 },
      },
      options,
    ),
  )
  const serving = await serve(beach, { port: 0 })
  onTestFinished(() => serving.close())
  /** The session in which the last flow was asked for. */
  const session = () => {
    const last = sessions.at(-1)
    if (last === undefined) throw new Error('No flow was asked for.')
    return last
  }
  return { url: serving.url, port: Number(new URL(serving.url).port), flows, session }
}

export type Shop = Awaited<ReturnType<typeof startShop>>

/** A client for one test. */
export function clientOf(options: FlowClientOptions): FlowClient {
  const client = createFlowClient({ random: () => 0.02, ...options })
  onTestFinished(() => client.close())
  return client
}

/** Waits until something holds of the client. */
export function until(client: FlowClient, holds: (now: FlowsSnapshot) => boolean): Promise<FlowsSnapshot> {
  return new Promise((resolve) => {
    const look = () => {
      if (!holds(client.getSnapshot())) return
      end()
      resolve(client.getSnapshot())
    }
    const end = client.subscribe(look)
    look()
  })
}
