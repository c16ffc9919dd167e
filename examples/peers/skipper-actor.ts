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

/** Asks the harbour for its own user. */
export const skipper = llmActor({ name: 'skipper', prompt: 'You find berths. Ask the harbour.', model })
