import { createBeach, type Beach } from '@cool-ai/beach'
import { silentLogger, systemClock, systemRuntime, type Clock } from '@cool-ai/beach-core'
import { defineTool, llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { createRegistry, defineFlow, defineHydrator, defineIntent } from '@intentflow/core'
import { createFlows, type Flows } from '@intentflow/core/server'
import { createMachine } from 'xstate'
import { z } from 'zod'

/** The agent of `make-folder.mjs` as it is written today, on a data folder; `ran` has the runs of its tools. */
export async function oldClerk(folder: string, at: number) {
  const ran: string[] = []
  const runs =
    (name: string) =>
    ({ invoice }: { readonly invoice: string }) => {
      ran.push(`${name} ${invoice}`)
      return { done: true }
    }
  const inputSchema = z.object({ invoice: z.string() })
  const pay = defineTool({
    name: 'pay',
    description: 'Pays an invoice.',
    inputSchema,
    requiresApproval: true,
    handler: runs('pay'),
  })
  const scan = defineTool({
    name: 'scan',
    description: 'Reads an invoice.',
    inputSchema,
    idempotent: true,
    handler: runs('scan'),
  })
  const say = (text: string) => ({ respond: { turnState: 'complete', parts: [{ partType: 'response', text }] } })
  const model = scriptedModel({
    rules: [
      { when: ({ results }) => results.has('pay'), say: () => say('A1 is paid.') },
      { when: ({ results }) => results.has('scan'), say: () => say('A2 is read.') },
      { say: ({ text }) => say(`You said: ${text}`) },
    ],
  })
  const runtime = { ...systemRuntime({ logger: silentLogger }), clock: clockFrom(at) }
  const flows = ordersOn(runtime.clock)
  const beach: Beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk' },
    data: folder,
    actors: { clerk: llmActor({ model, instructions: 'You pay invoices.', tools: [pay, scan, ...flows.tools()] }) },
    slices: [flows.slice],
    channels: [flows.channel()],
    partTypes: flows.partTypes,
    runtime,
  })
  return { beach, flows, ran }
}

/** The machine's clock, beginning at a time: tokens and approvals of the folder are still good then. */
function clockFrom(at: number): Clock {
  const behind = systemClock.now() - at
  return { ...systemClock, now: () => systemClock.now() - behind }
}

function ordersOn(clock: Clock): Flows {
  const order = defineFlow({
    intentId: 'order.place',
    meta: { title: 'Place an order', description: 'Orders a coffee.' },
    schema: z.object({ item: z.string() }),
    machine: createMachine({
      initial: 'review',
      context: {},
      states: { review: { on: { CONFIRM: 'confirmed' } }, confirmed: { type: 'final' } },
    }),
    events: { CONFIRM: { source: 'client', label: 'Order' } },
    text: ({ props }) => `An order of a ${props.item}.`,
  })
  const intent = defineIntent({
    flow: order,
    extractionSchema: z.object({ item: z.string().optional() }),
    examples: ['order a coffee'],
    keywords: ['order'],
  })
  const hydrator = defineHydrator(order, intent, async ({ entities }) => ({ item: entities.item ?? 'cappuccino' }))
  const registry = createRegistry({ flows: [order], intents: [intent], hydrators: [hydrator] })
  return createFlows({ registry, runtime: { ...systemRuntime(), clock }, secret: new Uint8Array(32) })
}
