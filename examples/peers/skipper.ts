import { createBeach } from '@cool-ai/beach'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'

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

const skipper = llmActor({ name: 'skipper', prompt: 'You find berths. Ask the harbour.', model })
const { HARBOUR_URL: url = 'http://127.0.0.1:4800/', BEACH_DATA: data = '.beach/skipper', PORT = '4801' } = process.env

const beach = await createBeach({
  agent: { id: 'skipper', name: 'Skipper' },
  data,
  actors: { skipper },
  // `ask_harbour` is offered to the model, with the secret that BEACH_PEER_HARBOUR_API_KEY holds.
  peers: { harbour: { url } },
})
const listening = await beach.listen({ port: Number(PORT) })
console.log(`Skipper is at ${listening.url}`)
