// An agent whose model calls the tools that it is told to, one after the other, in a process that tests can kill.
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createBeach, openData, serve } from '@cool-ai/beach'
import { defineTool, llmActor, scriptedModel } from '@cool-ai/beach-llm'
import * as z from 'zod'

const { PORT = '0', BEACH_DATA: folder = '' } = process.env
const inputSchema = z.object({})
const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks something up: it ends when there is a file `go`.',
  inputSchema,
  idempotent: true,
  handler: async () => {
    appendFileSync(join(folder, 'begun'), '.')
    while (!existsSync(join(folder, 'go'))) await wait(10)
    return 'found'
  },
})
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema,
  requiresApproval: true,
  handler: () => 'paid',
})
const model = scriptedModel({
  rules: [
    {
      say: ({ step, text }) => {
        const name = text.split(' ')[step]
        if (name !== undefined) return { tools: [{ name, args: name === 'paint' ? { colour: 'red' } : {} }] }
        return {
          respond: { turnState: 'complete', parts: [{ metadata: { partType: 'response' }, text: 'All done.' }] },
        }
      },
    },
  ],
})
const beach = await createBeach({
  data: await openData({ folder }),
  agent: { id: 'tools', name: 'Tools' },
  actors: { caller: llmActor({ model, instructions: 'Call tools.', tools: [lookUp, pay] }) },
  turns: { leaseMs: 1_000 },
})
await serve(beach, { port: Number(PORT) })
