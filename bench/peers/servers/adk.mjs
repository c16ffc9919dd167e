import { BaseLlm, FunctionTool, InMemorySessionService, LlmAgent, Runner, StreamingMode } from '@google/adk'
import { z } from 'zod'
import { beginEvents, serveTurns, writeEvent } from '../../server/http-turns.ts'
import { instructions, lookup, spoken, wantedIn } from '../../server/script.ts'

class ScriptedModel extends BaseLlm {
  async *generateContentAsync({ contents }) {
    const last = contents.at(-1)?.parts ?? []
    if (!last.some(({ functionResponse }) => functionResponse !== undefined)) {
      const functionCall = { id: `call_${contents.length}`, name: lookup.name, args: lookup.args }
      yield { content: { role: 'model', parts: [{ functionCall }] }, turnComplete: true }
      return
    }
    const asked = contents.findLast(
      ({ role, parts }) => role === 'user' && parts.some(({ text }) => text !== undefined),
    )
    let said = ''
    for await (const text of spoken(wantedIn(asked.parts[0].text))) {
      said += text
      yield { content: { role: 'model', parts: [{ text }] }, partial: true }
    }
    yield { content: { role: 'model', parts: [{ text: said }] }, partial: false, turnComplete: true }
  }

  connect() {
    return Promise.reject(new Error('The scripted model only streams.'))
  }
}

const appName = 'bench'
const userId = 'user'
const sessionService = new InMemorySessionService()
const agent = new LlmAgent({
  name: 'weather',
  model: new ScriptedModel({ model: 'scripted' }),
  instruction: instructions,
  tools: [
    new FunctionTool({
      name: lookup.name,
      description: lookup.description,
      parameters: z.object({ city: z.string() }),
      execute: async () => lookup.result,
    }),
  ],
})
const runner = new Runner({ appName, agent, sessionService })
const runConfig = { streamingMode: StreamingMode.SSE }

serveTurns(async ({ conversation, text }, response) => {
  const place = { appName, userId, sessionId: conversation }
  if ((await sessionService.getSession(place)) === undefined) await sessionService.createSession(place)
  const newMessage = { role: 'user', parts: [{ text }] }
  beginEvents(response)
  for await (const event of runner.runAsync({ userId, sessionId: conversation, newMessage, runConfig })) {
    writeEvent(response, event)
  }
  response.end()
})
