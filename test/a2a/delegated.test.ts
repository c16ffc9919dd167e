import { defineActor } from '@cool-ai/beach'
import { agentCaller, peerTools } from '@cool-ai/beach-a2a/peers'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { AgentRegistry } from '@cool-ai/beach-transport/registry'
import { expect, onTestFinished, test } from 'vitest'
import { asks, inOrder, respond } from '../a2a-client/home-agent.ts'
import { Gate, request, runtime, says, startAgent, stockClient } from './agent.ts'

/** An agent whose only actor asks the peer at an address. */
async function askingAgent(peerUrl: string) {
  const reach = guardedFetch({ allow: [peerUrl] })
  const peers = new AgentRegistry({ peers: [{ id: 'tester', url: `${peerUrl}/` }], fetch: reach, runtime })
  onTestFinished(async () => {
    await peers.close()
    await reach.close()
  })
  await peers.refresh()
  const caller = agentCaller({ peers, agent: { id: 'home' }, fetch: reach, runtime })
  const tools = peerTools({ caller, peers, agentId: 'home', runtime })
  const model = scriptedModel({ rules: inOrder(asks('ask_tester', { message: 'hi' }), respond('Done.')) })
  const home = llmActor({ name: 'home', prompt: 'You are Home.', model, tools })
  return startAgent({ agent: { id: 'home', name: 'Home', description: 'Asks its peer.' }, actors: { home } })
}

test('the status of a task that is with a peer says with which one, once the peer has said something', async () => {
  const gate = new Gate()
  const slow = defineActor(async ({ respond: answer }) => {
    await answer({ parts: [{ partType: 'ack', text: 'On it.' }], turnState: 'awaiting' })
    await gate.opened
    await answer({ parts: [{ partType: 'response', text: 'Here.' }], turnState: 'complete' })
  })
  const peer = await startAgent({ actors: { slow } })
  const { url } = await askingAgent(peer.url)
  const client = await stockClient(url)
  const updates: (Record<string, unknown> | undefined)[] = []
  for await (const { payload } of client.sendMessageStream(request(says('go')))) {
    if (payload?.$case !== 'statusUpdate') continue
    updates.push(payload.value.metadata)
    if (payload.value.metadata?.peer !== undefined) gate.open()
  }
  expect(updates).toContainEqual(expect.objectContaining({ turnState: 'delegated', peer: 'tester' }))
  expect(updates.at(-1)).toMatchObject({ turnState: 'complete' })
  expect(updates.at(-1)).not.toHaveProperty('peer')
})
