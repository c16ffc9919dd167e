import { createServer } from 'node:http'
import { BuiltInAgent, CopilotRuntime, defineTool } from '@copilotkit/runtime/v2'
import { createCopilotNodeListener } from '@copilotkit/runtime/v2/node'
import { z } from 'zod'
import { control } from '../../server/control.ts'
import { instructions, lookup } from '../../server/script.ts'
import { model } from './text-model.mjs'

// The AI SDK warns at every run of CopilotKit's own system message, which is not what is measured.
console.warn = () => {}

const agent = new BuiltInAgent({
  // It comes with the AI SDK before the last, whose interface has another number and the same shape.
  model: { ...model, specificationVersion: 'v3' },
  prompt: instructions,
  maxSteps: 5,
  tools: [
    defineTool({
      name: lookup.name,
      description: lookup.description,
      parameters: z.object({ city: z.string() }),
      execute: async () => lookup.result,
    }),
  ],
})

const runtime = new CopilotRuntime({ agents: { weather: agent } })
const listener = createCopilotNodeListener({ runtime, basePath: '/copilotkit' })
const server = createServer((request, response) => void listener(request, response))
server.listen(0, '127.0.0.1', () => control(`http://127.0.0.1:${server.address().port}`))
