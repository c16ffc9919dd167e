import { createBeach, openData, serve } from '@cool-ai/beach'
import { llmActor } from '@cool-ai/beach-llm'
import { messageModel, respond } from './message-model.ts'

// An agent whose model makes several calls of respond() in one message, and asks the test's gate between the second and the
// last one. It says how many of its calls it is told of when it begins.
const { PORT, BEACH_DATA: folder = '', GATE } = process.env
const said = (partType: string, text: string, turnState: string) =>
  respond({ parts: [{ text, metadata: { partType } }], turnState })

const model = messageModel(async function* (prompt) {
  const known = prompt.flatMap(({ role, content }) =>
    role === 'assistant' ? content.filter((part) => part.type === 'tool-call' && part.toolName === 'respond') : [],
  ).length
  if (known < 1) yield said('ack', 'Looking up flights.', 'awaiting')
  if (known < 2) yield said('thinking', 'Filtering for direct options.', 'awaiting')
  await fetch(`${GATE}/answer`)
  yield said('response', `Two direct options, after ${known} calls.`, 'complete')
})

await serve(
  async () =>
    createBeach({
      agent: { id: 'sally', name: 'Sally' },
      actors: { sally: llmActor({ model, instructions: 'You find flights.' }) },
      turns: { leaseMs: 2_000 },
      data: await openData({ folder }),
    }),
  { port: Number(PORT) },
)
