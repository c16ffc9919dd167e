import { fileURLToPath } from 'node:url'
import { defineActor } from '@cool-ai/beach'
import { agentCaller } from '@cool-ai/beach-a2a/peers'
import { credentialsOfPeers } from '@cool-ai/beach-channel/auth'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { mcpCaller } from '@cool-ai/beach-mcp/peers'
import { AgentRegistry, guardedFetch, type GuardedFetch } from '@cool-ai/beach-transport'
import { expect, onTestFinished, test } from 'vitest'
import { apiKey, startAgent } from '../a2a/agent.ts'
import { sample } from './003-card.ts'

// Document 003, "Discovering a peer", with the card of its "Schema": the card is at travel.example.com, its endpoints are
// at example.com. The document's hosts are agents on this machine, hence the `fetch`.

const runtime = systemRuntime({ logger: silentLogger })

/** What leads requests for the document's hosts to agents here; every other address is as it is. */
async function documentNetwork(hosts: Readonly<Record<string, string>>): Promise<GuardedFetch> {
  const origins = Object.values(hosts).map((url) => new URL(url).origin)
  const reach = guardedFetch({ allow: origins })
  onTestFinished(() => reach.close())
  const led: GuardedFetch = Object.assign(
    async (...[input, init = {}]: Parameters<GuardedFetch>) => {
      const url = input instanceof Request ? input.url : String(input)
      const { origin } = new URL(url)
      if (init.guard?.only?.includes(origin) === false) throw new Error(`Nothing was to go to ${url}.`)
      const [host, place] = Object.entries(hosts).find(([begin]) => url.startsWith(begin)) ?? []
      if (host === undefined || place === undefined) throw new Error(`${url} is not of the document.`)
      return reach(url.replace(host, place), { ...init, guard: { ...init.guard, only: origins } })
    },
    { check: reach.check.bind(reach), close: async () => {} },
  )
  return led
}

const finds = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: `Flights for: ${text}` }], turnState: 'complete' })
})

async function agents() {
  const { headers, authenticate } = apiKey('X-Beach-Key', { id: 'organiser' })
  const authenticators = [authenticate]
  const travel = await startAgent({ agent: sample, actors: { finds }, access: { authenticators } })
  const organiser = await startAgent({
    agent: { ...sample, id: 'example-organiser', name: 'Baxter' },
    access: { authenticators },
  })
  const fetch = await documentNetwork({
    'https://travel.example.com/': `${travel.url}/`,
    'https://organiser.example.com/': `${organiser.url}/`,
    'https://example.com/travel/a2a/messages': `${travel.url}/a2a`,
    'https://example.com/travel/mcp': `${travel.url}/mcp`,
  })
  return { fetch, key: headers['X-Beach-Key'] ?? '' }
}

test('the registry fetches and keeps the cards of its peers, and their endpoints can be called', async () => {
  const { fetch, key } = await agents()
  const registry = new AgentRegistry({
    peers: [
      { url: 'https://travel.example.com/.well-known/agent-card.json' },
      { url: 'https://organiser.example.com/.well-known/agent-card.json' },
    ],
    fetch,
  })
  onTestFinished(() => registry.close())
  expect(registry.byId('example-travel-agent')).toBeUndefined()

  await registry.refresh()

  const travel = registry.byId('example-travel-agent')
  const { $schema: _, ...fields } = sample
  expect(travel?.card).toMatchObject(fields)
  expect(travel?.transports).toMatchObject(sample.transports)
  expect(travel?.refused).toEqual([])
  expect(registry.byId('example-organiser')?.card.name).toBe('Baxter')
  expect(registry.byId('nobody')).toBeUndefined()

  // "travel.transports lets you call the agent via A2A or MCP"
  const { callAgent } = agentCaller({
    peers: registry,
    agent: { id: 'example-organiser' },
    fetch,
    runtime,
    mcp: mcpCaller,
    credentials: credentialsOfPeers({ fetch, secrets: async () => key }),
  })
  const say = [{ partType: 'message', text: 'Corfu in August' }]
  const answer = { state: 'complete', parts: [{ text: 'Flights for: Corfu in August' }] }
  expect(await callAgent('example-travel-agent', say)).toMatchObject(answer)

  const mcpOnly = {
    ids: () => registry.ids(),
    byId: (id: string) => {
      const peer = registry.byId(id)
      return peer && { ...peer, transports: peer.transports.filter(({ protocol }) => protocol === 'mcp') }
    },
  }
  const byMcp = agentCaller({ peers: mcpOnly, agent: { id: 'example-organiser' }, fetch, runtime, mcp: mcpCaller })
  expect(await byMcp.callAgent('example-travel-agent', say)).toMatchObject(answer)
})

test('an endpoint of another domain is refused, with what allows it; then it is used', async () => {
  const { url } = await startAgent({
    agent: { ...sample, transports: [{ protocol: 'a2a', version: '1.0', endpoint: 'https://example.org/travel' }] },
    actors: { finds },
  })
  const fetch = await documentNetwork({
    'https://travel.example.com/': `${url}/`,
    'https://example.org/travel': `${url}/a2a`,
  })
  const listing = { url: 'https://travel.example.com/.well-known/agent-card.json' }
  const calling = async (more: object) => {
    const registry = new AgentRegistry({ peers: [{ ...listing, ...more }], fetch, runtime })
    onTestFinished(() => registry.close())
    await registry.refresh()
    const { callAgent } = agentCaller({ peers: registry, agent: { id: 'home' }, fetch, runtime })
    return callAgent('example-travel-agent', [{ partType: 'message', text: 'Rome' }])
  }
  await expect(calling({})).rejects.toThrow(
    "Its card names https://example.org/travel: https://example.org is not the origin of the card, https://travel.example.com, nor on its domain by https. Add it to the peer's allowOrigins if you mean it.",
  )
  expect(await calling({ allowOrigins: ['https://example.org'] })).toMatchObject({ state: 'complete' })
  const transports = [{ protocol: 'a2a', endpoint: 'https://example.org/travel' }]
  expect(await calling({ transports })).toMatchObject({ state: 'complete' })
})

test('a stdio:// command of a card is run where the listing has it too', async () => {
  const program = fileURLToPath(new URL('003-stdio-program.ts', import.meta.url))
  const endpoint = `stdio://${process.execPath} --conditions=@cool-ai/source ${program}`
  const mcp = { protocol: 'mcp', version: 'stable', endpoint, transport: 'stdio', tool: 'ask_example_travel' }
  const card = { ...sample, transports: [mcp] }
  const calling = async (more: object) => {
    const fetch = guardedFetch()
    const registry = new AgentRegistry({ peers: [{ card, ...more }], fetch, runtime })
    onTestFinished(async () => {
      await registry.close()
      await fetch.close()
    })
    await registry.refresh()
    const { callAgent } = agentCaller({ peers: registry, agent: { id: 'home' }, fetch, runtime, mcp: mcpCaller })
    return callAgent('example-travel-agent', [{ partType: 'message', text: 'Rome' }])
  }
  await expect(calling({})).rejects.toThrow(
    `Add ${JSON.stringify({ protocol: 'mcp', endpoint })} to the peer's transports if you mean it.`,
  )
  // The tool by which one talks to it is in the card.
  const listed = await calling({ transports: [{ protocol: 'mcp', endpoint }] })
  expect(listed).toMatchObject({ state: 'complete', parts: [{ text: 'By pipe: Rome' }] })
})
