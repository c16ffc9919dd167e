import { createModel, scriptedModel } from '@cool-ai/beach-llm'

/** What the model says while there is no key: the first rule that applies. */
const script = scriptedModel({
  pieceMs: 20,
  rules: [
    {
      when: ({ results }) => results.has('ask_weather'),
      say: ({ results }) => answer(`I asked the weather agent. ${said(results.get('ask_weather'))}`),
    },
    {
      when: ({ text }) => /\bin \p{L}+/iu.test(text),
      say: ({ text }) => ({ tools: [{ name: 'ask_weather', args: { message: text } }] }),
    },
    { say: () => answer('Where do you want to go? Say “A day in Corfu”.') },
  ],
})

/** What the other agent has answered; without an answer, why there is none. */
function said(result = ''): string {
  return result.startsWith('{') ? ((JSON.parse(result) as { answer?: string }).answer ?? result) : result
}

function answer(text: string) {
  return { respond: { parts: [{ partType: 'response', text }], turnState: 'complete' } }
}

const { BEACH_MODEL = '', ANTHROPIC_API_KEY = '' } = process.env
const id = BEACH_MODEL === '' && ANTHROPIC_API_KEY !== '' ? 'anthropic/claude-sonnet-4-5' : BEACH_MODEL

/** A real model where the environment has a key or names a model, otherwise the script. */
export const model = id === '' ? script : await createModel(id)
