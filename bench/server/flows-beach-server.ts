import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import { partTypeRegistry, systemRuntime } from '@cool-ai/beach-core'
import { defineFlow, FlowRegistry } from '@intentflow/core'
import { createFlows } from '@intentflow/core/server'
import { createMachine } from 'xstate'
import * as z from 'zod'
import { control } from './control.ts'
import { unlimited } from './unlimited.ts'

/** A flow that goes to and fro. */
const flip = defineFlow({
  intentId: 'bench.flip',
  meta: { title: 'Flip', description: 'Goes to and fro.' },
  schema: z.object({ label: z.string() }),
  machine: createMachine({
    initial: 'heads',
    states: { heads: { on: { FLIP: 'tails' } }, tails: { on: { FLIP: 'heads' } } },
  }),
  events: { FLIP: { source: 'client' } },
})

const actor = defineActor(async ({ respond }) => {
  await respond({ parts: [{ partType: 'response', text: 'Yes.' }], turnState: 'complete' })
})

const runtime = systemRuntime()
const data = await openData({ folder: process.argv[2] ?? '.beach' })
const registry = new FlowRegistry()
registry.register(flip)
const flows = createFlows({ registry, runtime, secret: data.secret })
flows.registerPartTypes(partTypeRegistry)
const beach = await createBeach({
  agent: { id: 'bench', name: 'Bench' },
  actors: { actor },
  limits: unlimited,
  runtime,
  data: { ...data, missives: false },
  slices: [flows.slice],
  channels: [flows.channel()],
})
const { url } = await serve(beach, { port: 0 })
control(url)
