import { createModel, scriptedModel } from '@cool-ai/beach-llm'

const cityIn = /\bin ([\p{L} ]+)/iu

/** What the model says while there is no key: the first rule that applies. */
const script = scriptedModel({
  pieceMs: 20,
  rules: [
    {
      when: ({ results }) => results.has('time_in'),
      say: ({ results }) => answer(timeIn(results.get('time_in'))),
    },
    {
      when: ({ text }) => cityIn.test(text),
      say: ({ text }) => ({ tools: [{ name: 'time_in', args: { city: cityIn.exec(text)?.[1] ?? '' } }] }),
    },
    { say: ({ text }) => answer(`You said: ${text}. Ask me “What time is it in Lisbon?”`) },
  ],
})

function timeIn(result = '{}'): string {
  const { city, time } = JSON.parse(result) as { city?: string; time?: string }
  return time === undefined ? 'I do not know the time there.' : `It is ${time} in ${city}.`
}

function answer(text: string) {
  return { respond: { parts: [{ partType: 'response', text }], turnState: 'complete' } }
}

const { BEACH_MODEL = '', ANTHROPIC_API_KEY = '' } = process.env
const id = BEACH_MODEL === '' && ANTHROPIC_API_KEY !== '' ? 'anthropic/claude-sonnet-4-5' : BEACH_MODEL

/** A real model where the environment has a key or names a model, otherwise the script. */
export const model = id === '' ? script : await createModel(id)
