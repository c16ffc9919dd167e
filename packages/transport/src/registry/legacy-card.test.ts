import { readAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { expect, test } from 'vitest'
import { chooseA2a } from '../../../a2a/src/peers/reach-peer.ts'
import { fromLegacyCard } from './legacy-card.ts'

const legacy = {
  name: 'Old',
  description: 'Speaks 0.3 only.',
  version: '1.0.0',
  protocolVersion: '0.3.0',
  url: 'https://old.example/rpc',
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [{ url: 'https://old.example/rest', transport: 'HTTP+JSON' }],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'talk', name: 'Talk', description: 'Talks.', tags: ['talk'] }],
}

test('a card of A2A 0.3 is read as one of 1.0 whose interfaces speak 0.3', () => {
  const card = readAgentCard(fromLegacyCard(legacy))
  expect(card).toMatchObject({
    name: 'Old',
    capabilities: [{ id: 'talk' }],
    card: { capabilities: { streaming: true } },
  })
  expect(chooseA2a(card.transports)).toMatchObject({
    endpoint: 'https://old.example/rpc',
    version: expect.stringMatching(/^0\.3/),
  })
})

test('any other card stays as it is', () => {
  for (const json of [{ name: 'New', supportedInterfaces: [] }, null, 'x', 5]) expect(fromLegacyCard(json)).toBe(json)
})
