import { agentCaller } from '@cool-ai/beach-a2a/peers'
import { credentialsOfPeers } from '@cool-ai/beach-channel/auth'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { agentCardToJson, buildAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { AgentRegistry } from '@cool-ai/beach-transport/registry'
import { expect, test } from 'vitest'
import { hello } from './calling.ts'
import { json, rawPeer, task } from './raw-peer.ts'

const runtime = systemRuntime({ logger: silentLogger })

/** The card of an agent that wants a key. */
function cardAt(url: string, header = 'X-Beach-Key') {
  return agentCardToJson(
    buildAgentCard({
      schemaVersion: '1.0',
      id: 'travel',
      name: 'Travel',
      description: 'Finds flights.',
      version: '1.0.0',
      capabilities: [],
      transports: [{ protocol: 'a2a', version: '1.0', endpoint: `${url}/a2a`, auth: { type: 'api-key', header } }],
    }),
  )
}

test('a peer of the registry is called with the secret for it, and a new one when the old is refused', async (context) => {
  const keys: unknown[] = []
  const peer = await rawPeer(context, (raw) => {
    const { request, response } = raw
    if (request.method === 'GET') return json(raw, cardAt(peer.url))
    keys.push(request.headers['x-beach-key'])
    if (keys.at(-1) !== 'new') return void response.writeHead(401).end()
    json(raw, { jsonrpc: '2.0', id: raw.call.id, result: { task: task('COMPLETED') } })
  })
  const secrets = ['old', 'new']
  const guarded = guardedFetch()
  const registry = new AgentRegistry({
    peers: [{ id: 'travel', url: `${peer.url}/`, allowOrigins: [peer.url] }],
    runtime,
    fetch: guarded,
  })
  context.onTestFinished(() => Promise.all([registry.close(), guarded.close()]).then(() => {}))
  const { callAgent } = agentCaller({
    peers: registry,
    agent: { id: 'home' },
    fetch: guarded,
    runtime,
    credentials: credentialsOfPeers({ fetch: guarded, secrets: async () => secrets.shift() }),
  })
  expect(await callAgent('travel', hello)).toMatchObject({ state: 'complete', taskId: 'task-1' })
  expect(keys).toEqual(['old', 'new'])
  await expect(callAgent('nobody', hello)).rejects.toMatchObject({ code: 'UNKNOWN_PEER' })
})

test('a peer that turns a call away is asked again by the card that it has now, if that is another one', async (context) => {
  let header = 'X-Beach-Key'
  const asked: string[] = []
  const peer = await rawPeer(context, (raw) => {
    const { request, response } = raw
    asked.push(request.method ?? '')
    if (request.method === 'GET') return json(raw, cardAt(peer.url, header))
    if (request.headers[header.toLowerCase()] === undefined) return void response.writeHead(401).end()
    json(raw, { jsonrpc: '2.0', id: raw.call.id, result: { task: task('COMPLETED') } })
  })
  const guarded = guardedFetch()
  const registry = new AgentRegistry({
    peers: [{ id: 'travel', url: `${peer.url}/`, allowOrigins: [peer.url] }],
    runtime,
    fetch: guarded,
  })
  context.onTestFinished(() => Promise.all([registry.close(), guarded.close()]).then(() => {}))
  const credentials = credentialsOfPeers({ fetch: guarded, secrets: async () => 'secret' })
  const caller = { peers: registry, agent: { id: 'home' }, fetch: guarded, runtime }
  const { callAgent } = agentCaller({ ...caller, credentials })
  expect(await callAgent('travel', hello)).toMatchObject({ state: 'complete' })
  header = 'X-Other-Key'
  expect(await callAgent('travel', hello)).toMatchObject({ state: 'complete' })

  // A card that is the same as before is no reason to try again.
  asked.length = 0
  const withoutKey = agentCaller(caller)
  await expect(withoutKey.callAgent('travel', hello)).rejects.toThrow(/401.* It wants a credential/)
  expect(asked).toEqual(['POST', 'GET'])
})

test('a peer whose card is changed to lead elsewhere is not called there', async (context) => {
  const asked: unknown[] = []
  const inner = await rawPeer(context, (raw) => void asked.push(raw.call))
  const peer = await rawPeer(context, (raw) => json(raw, cardAt(inner.url)))
  const guarded = guardedFetch()
  const registry = new AgentRegistry({
    peers: [{ id: 'travel', url: `${peer.url}/`, allowOrigins: [peer.url] }],
    runtime,
    fetch: guarded,
  })
  context.onTestFinished(() => Promise.all([registry.close(), guarded.close()]).then(() => {}))
  const { callAgent } = agentCaller({ peers: registry, agent: { id: 'home' }, fetch: guarded, runtime })
  await expect(callAgent('travel', hello)).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining(`Its card names ${inner.url}/a2a: `) as string,
  })
  expect(asked).toEqual([])
})
