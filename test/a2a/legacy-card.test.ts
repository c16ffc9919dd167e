import { isLegacyAgentCard, parseLegacyAgentCard } from '@a2a-js/sdk/compat/v0_3/client'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import { readAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { apiKey, collect, foldArtifacts, request, says, send, startAgent, stateOf, answerOf } from './agent.ts'

/** The card as a client of 0.3 sees it, which knows nothing of the members of 1.0. */
async function legacyCard(url: string): Promise<unknown> {
  const response = await fetch(`${url}/.well-known/agent-card.json`)
  const {
    supportedInterfaces: _,
    securityRequirements: __,
    ...card
  } = (await response.json()) as Record<string, unknown>
  return card
}

describe('a client of 0.3 that reads the card at its well-known place', () => {
  test.each(['JSONRPC', 'HTTP+JSON'])('finds the agent by %s, and talks to it', async (binding) => {
    const { url } = await startAgent()
    const json = await legacyCard(url)
    expect(json).toMatchObject({ protocolVersion: '0.3.0', url: `${url}/a2a`, preferredTransport: 'JSONRPC' })
    expect(isLegacyAgentCard(json)).toBe(true)
    const legacyCompat = { enabled: true }
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory({ legacyCompat }), new RestTransportFactory({ legacyCompat })],
      preferredTransports: [binding],
    })
    const client = await factory.createFromAgentCard(parseLegacyAgentCard(json))
    const task = await send(client, says('hello'))
    expect([stateOf(task), ...answerOf(task)]).toEqual(['COMPLETED', 'You said hello'])
    const events = await collect(client.sendMessageStream(request(says('again'))))
    expect([...foldArtifacts(events).values()]).toContain('You said again')
  })

  test('finds out how to authenticate', async () => {
    const { url } = await startAgent({
      protocols: { a2a: { auth: { type: 'api-key', header: 'X-Beach-Key' } } },
      access: { authenticators: [apiKey('X-Beach-Key').authenticate] },
    })
    const { securitySchemes, securityRequirements } = parseLegacyAgentCard(await legacyCard(url))
    const [[name, { scheme }] = ['', { scheme: undefined }]] = Object.entries(securitySchemes)
    expect(scheme).toMatchObject({
      $case: 'apiKeySecurityScheme',
      value: { location: 'header', name: 'X-Beach-Key' },
    })
    expect(securityRequirements).toMatchObject([{ schemes: { [name]: { list: [] } } }])
  })
})

test('clients of 1.0 read the same card as before', async () => {
  const { url } = await startAgent()
  const resolved = await new DefaultAgentCardResolver().resolve(url)
  expect(resolved.supportedInterfaces.map(({ protocolVersion }) => protocolVersion)).toEqual([
    '1.0',
    '1.0',
    '0.3',
    '0.3',
  ])
  const response = await fetch(`${url}/.well-known/agent-card.json`)
  expect(readAgentCard(await response.json())).toMatchObject({ id: 'tester', name: 'Tester' })
})
