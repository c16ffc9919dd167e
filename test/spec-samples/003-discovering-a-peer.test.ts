import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buildAgentCard } from '@cool-ai/beach-protocol'
import { AgentRegistry, guardedFetch, wellKnownAgentCard } from '@cool-ai/beach-transport'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'

// Document 003, "Discovering a peer". Its addresses are of this machine here, which the registry's own fetch does not
// reach: hence the `fetch`.

const card = (id: string, name: string, origin: string) => ({
  schemaVersion: '1.0',
  id,
  name,
  description: `${name} of the document.`,
  version: '1.0.0',
  capabilities: [{ id: 'flight-search', description: 'Search flights by origin, destination, dates.' }],
  transports: [
    {
      protocol: 'a2a',
      version: '1.0',
      endpoint: `${origin}/a2a/messages`,
      auth: { type: 'api-key', header: 'X-Beach-Key' },
    },
    { protocol: 'mcp', version: 'stable', endpoint: `${origin}/mcp`, transport: 'http', tool: 'ask' },
  ],
})

/** Serves the card of an agent at its well-known place; gives where that is. */
async function served(id: string, name: string): Promise<string> {
  const app = express()
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  app.use(wellKnownAgentCard(buildAgentCard(card(id, name, here))))
  return here
}

test('the registry fetches and keeps the cards of its peers', async () => {
  const at = await served('example-travel-agent', 'ExampleTravel')
  const origins = [at, await served('example-organiser', 'Baxter')]
  const reach = guardedFetch({ allow: origins })
  onTestFinished(() => reach.close())
  const registry = new AgentRegistry({
    peers: origins.map((url) => ({ url: `${url}/.well-known/agent-card.json` })),
    fetch: reach,
  })
  onTestFinished(() => registry.close())
  expect(registry.byId('example-travel-agent')).toBeUndefined()
  await registry.refresh()
  const travel = registry.byId('example-travel-agent')
  expect(travel?.card).toMatchObject(card('example-travel-agent', 'ExampleTravel', at))
  expect(travel?.transports).toMatchObject([
    { protocol: 'a2a', endpoint: `${at}/a2a/messages`, auth: { type: 'api-key' } },
    { protocol: 'mcp', endpoint: `${at}/mcp`, tool: 'ask' },
  ])
  expect(registry.byId('example-organiser')?.card.name).toBe('Baxter')
  expect(registry.byId('nobody')).toBeUndefined()
})
