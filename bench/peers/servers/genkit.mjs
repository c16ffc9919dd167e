import { genkit, z } from 'genkit'
import { beginEvents, serveTurns, writeEvent } from '../../server/http-turns.ts'
import { instructions, lookup, spoken, wantedIn } from '../../server/script.ts'

const ai = genkit({})

const model = ai.defineModel(
  { apiVersion: 'v2', name: 'scripted', supports: { tools: true, systemRole: true, multiturn: true } },
  async ({ messages }, { sendChunk }) => {
    if (messages.at(-1)?.role !== 'tool') {
      const toolRequest = { name: lookup.name, input: lookup.args, ref: `call_${messages.length}` }
      return { message: { role: 'model', content: [{ toolRequest }] }, finishReason: 'stop' }
    }
    const asked = messages.findLast(({ role }) => role === 'user')
    let said = ''
    for await (const text of spoken(wantedIn(asked?.content[0]?.text ?? ''))) {
      said += text
      sendChunk({ content: [{ text }] })
    }
    return { message: { role: 'model', content: [{ text: said }] }, finishReason: 'stop' }
  },
)

const tool = ai.defineTool(
  { name: lookup.name, description: lookup.description, inputSchema: z.object({ city: z.string() }) },
  async () => lookup.result,
)

// Genkit's Express and Next handlers write a flow's chunks in this form.
serveTurns(async ({ text }, response) => {
  const { stream, response: whole } = ai.generateStream({ model, system: instructions, prompt: text, tools: [tool] })
  beginEvents(response)
  for await (const chunk of stream) writeEvent(response, { message: chunk.toJSON() })
  writeEvent(response, { result: (await whole).text })
  response.end()
})
