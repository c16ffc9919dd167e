import { apiKeyAuth, hashApiKey, newApiKey } from '@cool-ai/beach-channel/auth'
import { expect, test } from 'vitest'
import { startAgent, stockClient, ways } from './agent.ts'

test.each(ways)('by %s, the stock client reads the extended card, and how to authenticate', async (way) => {
  const header = 'X-Beach-Key'
  const key = newApiKey()
  const extendedCard = {
    schemaVersion: '1.0',
    id: 'tester',
    name: 'Tester, extended',
    description: 'Says more.',
    version: '1.0.0',
    capabilities: [{ id: 'secret-echo', description: 'Says it quietly.', requiredScopes: ['quiet'] }],
  }
  const { url } = await startAgent({
    protocols: { a2a: { auth: { type: 'api-key', header }, extendedCard } },
    access: {
      authenticators: [apiKeyAuth({ header, keys: [{ id: 'pat', tenant: 'default', hash: hashApiKey(key) }] })],
    },
  })
  const client = await stockClient(url, way, { [header]: key })
  const { name, skills, securitySchemes, securityRequirements } = await client.getAgentCard()
  expect(name).toBe('Tester, extended')
  expect(skills.map(({ id }) => id)).toEqual(['secret-echo'])
  const [[scheme, described] = []] = Object.entries(securitySchemes)
  expect(described?.scheme).toMatchObject({
    $case: 'apiKeySecurityScheme',
    value: { location: 'header', name: header },
  })
  expect(securityRequirements).toMatchObject([{ schemes: { [scheme ?? '']: { list: [] } } }])
})
