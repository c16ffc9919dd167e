import { agentCaller, peerTools } from '@cool-ai/beach-a2a/peers'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { expect, test } from 'vitest'
import { runtime, startAgent } from '../a2a/agent.ts'
import { peersOf } from './calling.ts'
import { asks, inOrder, respond } from './home-agent.ts'
import { stockAgent, text } from './stock-agent.ts'

test('the status of a turn that is delegated names the peer before that has said a word', async (context) => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const travel = await stockAgent(context, async (run) => {
    await over
    run.say([text('Two.')])
  })
  const peers = peersOf({ travel: travel.card() })
  const caller = agentCaller({ peers, agent: { id: 'home' }, fetch, runtime })
  const tools = peerTools({ caller, peers, agentId: 'home', runtime })
  const model = scriptedModel({ rules: inOrder(asks('ask_travel', { message: 'Flights?' }), respond('Two.')) })
  const home = llmActor({ name: 'home', prompt: 'You are Home.', model, tools })
  const { url } = await startAgent({ actors: { home } })
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Go.' }] }
  const answer = await fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } }),
  })
  let seen = ''
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen += piece
    if (seen.includes('"peer":"travel"')) end()
  }
  const states = seen.split('\n').flatMap((line) => {
    const { statusUpdate } = line.startsWith('data:') ? (JSON.parse(line.slice(5)) as Told).result : {}
    return statusUpdate?.metadata?.turnState === 'delegated' ? [statusUpdate] : []
  })
  expect(states.at(0)).toMatchObject({ status: { state: 'TASK_STATE_WORKING' }, metadata: { peer: 'travel' } })
})

interface Told {
  readonly result: { readonly statusUpdate?: { readonly metadata?: Readonly<Record<string, unknown>> } }
}
