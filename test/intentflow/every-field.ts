import { PartTypeRegistry } from '@cool-ai/beach-core'
import { defineFlow, FlowRegistry, type Flow } from '@intentflow/core'
import { createFlows } from '@intentflow/core/server'
import type { BeachOptions } from '@cool-ai/beach'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import { runtime } from '../mcp/support.ts'

/** What must be shown as it is, wherever a text is shown. */
export const hostileText = [
  '<img src="x" onerror="document.title = 1"><script>document.title = 2</script>',
  '[a link](https://evil.example) ![a picture](https://evil.example/p.png) **bold**',
  '# a heading',
  '${formatString} {"path": "/title"}',
].join('\n')

interface FillTypes {
  context: { sent?: unknown; amount: number }
  events: { type: 'SEND'; payload: unknown } | { type: 'RAW' } | { type: 'EITHER' } | { type: 'DONE' }
}

const types = {} as FillTypes

/** A flow with a field of every kind, whose text is hostile. */
export const everyField = defineFlow({
  intentId: 'form.fill',
  meta: { title: 'Fill <b>this</b> in', description: 'Has a field of every kind.' },
  schema: z.object({ about: z.string() }),
  machine: setup({ types }).createMachine({
    id: 'form.fill',
    initial: 'open',
    context: { amount: 2.5 },
    states: {
      open: {
        on: {
          SEND: { actions: assign({ sent: ({ event }) => event.payload }) },
          RAW: 'open',
          EITHER: 'open',
          DONE: 'done',
        },
      },
      done: { type: 'final' },
    },
  }),
  events: {
    SEND: {
      source: 'client',
      label: 'Send it',
      schema: z.strictObject({
        kind: z.literal('form'),
        name: z.string().min(1),
        note: z.string().optional(),
        amount: z.number(),
        count: z.int().max(9).optional(),
        isNew: z.boolean(),
        isGift: z.boolean().optional(),
        size: z.enum(['small', 'large']),
        'odd name/with ~ all': z.enum(['x"y', '</script>']).optional(),
        level: z.union([z.literal(1), z.literal(2)]).optional(),
        city: z.string().default('Bath'),
        tags: z.array(z.string()).optional(),
        place: z.object({ x: z.number() }).optional(),
      }),
    },
    RAW: { source: 'client', label: 'Send raw', schema: z.object({ list: z.array(z.string()) }) },
    EITHER: {
      source: 'client',
      label: 'Send either',
      schema: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    },
    DONE: { source: 'client', label: 'Done' },
  },
  text: ({ props: { about } }) => about,
})

/** What an agent needs to have that flow. */
export const everyFieldAgent = () => agentOf(everyField)

/** What an agent needs to have a flow. */
export function agentOf(flow: Flow) {
  const registry = new FlowRegistry().register(flow, {})
  const flows = createFlows({ registry, runtime, secret: new Uint8Array(32).fill(7) })
  const partTypes = PartTypeRegistry.canonical()
  flows.registerPartTypes(partTypes)
  const beach: Partial<BeachOptions> = {
    slices: [flows.slice],
    channels: [flows.channel()],
    exposedTools: flows.mcpTools(),
    partTypes,
  }
  return { flows, beach }
}
