import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { Memory } from '@mastra/memory'
import { z } from 'zod'
import { beginEvents, serveTurns, writeEvent } from '../../server/http-turns.ts'
import { instructions, lookup } from '../../server/script.ts'
import { model } from './text-model.mjs'

const storage = new LibSQLStore({ id: 'bench', url: `file:${process.argv[2]}.db` })
const agent = new Agent({
  id: 'weather',
  name: 'Weather',
  instructions,
  model,
  tools: {
    [lookup.name]: createTool({
      id: lookup.name,
      description: lookup.description,
      inputSchema: z.object({ city: z.string() }),
      execute: async () => lookup.result,
    }),
  },
  memory: new Memory({ storage }),
})
const mastra = new Mastra({ agents: { weather: agent }, storage, logger: false })

serveTurns(async ({ conversation, text }, response) => {
  const stream = await mastra.getAgent('weather').stream(text, { memory: { thread: conversation, resource: 'user' } })
  beginEvents(response)
  for await (const chunk of stream.fullStream) writeEvent(response, chunk)
  response.end()
})
