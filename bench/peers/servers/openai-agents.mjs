import { Agent, run, setTracingDisabled, tool } from '@openai/agents'
import { beginEvents, serveTurns, writeEvent } from '../../server/http-turns.ts'
import { instructions, lookup, spoken, wantedIn } from '../../server/script.ts'

// It would be sent to its maker's service.
setTracingDisabled(true)

const usage = { requests: 1, inputTokens: 10, outputTokens: 50, totalTokens: 60 }

const model = {
  getResponse: () => Promise.reject(new Error('The scripted model only streams.')),
  async *getStreamedResponse({ input }) {
    const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input
    const id = `response_${messages.length}`
    if (messages.at(-1)?.type !== 'function_call_result') {
      const call = {
        type: 'function_call',
        id: `fc_${messages.length}`,
        callId: `call_${messages.length}`,
        name: lookup.name,
        arguments: JSON.stringify(lookup.args),
        status: 'completed',
      }
      yield { type: 'response_done', response: { id, usage, output: [call] } }
      return
    }
    const asked = messages.findLast(({ role }) => role === 'user')
    let said = ''
    for await (const delta of spoken(wantedIn(JSON.stringify(asked.content).replaceAll('\\', '')))) {
      said += delta
      yield { type: 'output_text_delta', delta }
    }
    const content = [{ type: 'output_text', text: said }]
    const message = { type: 'message', id: 'message', role: 'assistant', status: 'completed', content }
    yield { type: 'response_done', response: { id, usage, output: [message] } }
  },
}

const agent = new Agent({
  name: 'Weather',
  instructions,
  model,
  tools: [
    tool({
      name: lookup.name,
      description: lookup.description,
      parameters: lookup.inputSchema,
      strict: true,
      execute: async () => lookup.result,
    }),
  ],
})

serveTurns(async ({ text }, response) => {
  const stream = await run(agent, text, { stream: true })
  beginEvents(response)
  for await (const delta of stream.toTextStream()) writeEvent(response, { delta })
  await stream.completed
  response.end()
})
