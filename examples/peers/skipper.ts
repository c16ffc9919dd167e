import { createBeach, openData, serve } from '@cool-ai/beach'
import { peerTools } from '@cool-ai/beach-a2a/peers'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { caller, peers, runtime } from './harbour-peer.ts'

// In place of a model of a provider, so that this runs without a key: it passes on what it is asked.
const model = scriptedModel({
  rules: [
    {
      when: ({ results }) => results.has('ask_harbour'),
      say: ({ results }) => ({
        respond: {
          turnState: 'complete',
          parts: [{ metadata: { partType: 'response' }, text: `The harbour: ${results.get('ask_harbour')}` }],
        },
      }),
    },
    { say: ({ text }) => ({ tools: [{ name: 'ask_harbour', args: { message: text } }] }) },
  ],
})

const skipper = llmActor({
  name: 'skipper',
  prompt: 'You find berths. Ask the harbour.',
  model,
  tools: peerTools({ caller, peers, agentId: 'skipper', runtime }),
})

const beach = await createBeach({
  agent: { id: 'skipper', name: 'Skipper' },
  actors: { skipper },
  ...(await openData({ folder: process.env.BEACH_DATA ?? '.beach/skipper' })),
})
const { url } = await serve(beach, { port: Number(process.env.PORT ?? '4801') })
console.log(`Skipper is at ${url}`)
