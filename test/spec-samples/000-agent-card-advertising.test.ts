import { partTypeRegistry } from '@cool-ai/beach-core'
import {
  AgentCard,
  agentCardToJson,
  BEACH_EXTENSION_URI,
  buildAgentCard,
  decideDelivery,
  readAgentCard,
  type AgentCapabilities,
  type AgentCardBeachExtension,
  type AgentExtension,
  type AgentInterface,
  type AgentProvider,
  type AgentSkill,
} from '@cool-ai/beach-protocol'
import { expect, expectTypeOf, test } from 'vitest'

// Document 000: "Concern" (Agent Card schema + types) and "Agent Card advertising".

const capabilities = {
  extensions: [
    {
      uri: 'https://beach.cool-ai.io/extensions/v1',
      required: false,
      params: {
        envelopeConsumes: ['domain-data', 'a2ui-surface', 'ta.itinerary-slot-state'],
      },
    },
  ],
}

const peer = {
  name: 'Peer',
  description: 'Renders itineraries.',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'https://peer.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities,
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'render', name: 'Render', description: 'Renders.', tags: ['render'] }],
}

test('the types and codecs of the A2A SDK are re-exported', () => {
  const card: AgentCard = AgentCard.fromJSON(peer)
  expectTypeOf(card.skills).toEqualTypeOf<AgentSkill[]>()
  expectTypeOf(card.supportedInterfaces).toEqualTypeOf<AgentInterface[]>()
  expectTypeOf(card.capabilities).toEqualTypeOf<AgentCapabilities | undefined>()
  expectTypeOf(card.provider).toEqualTypeOf<AgentProvider | undefined>()
  expectTypeOf<AgentCapabilities['extensions']>().toEqualTypeOf<AgentExtension[]>()
  expectTypeOf<AgentCardBeachExtension['envelopeConsumes']>().toEqualTypeOf<string[] | undefined>()
  expect(card.name).toBe('Peer')
})

test('the extension has the documented name', () => {
  expect(BEACH_EXTENSION_URI).toBe(capabilities.extensions[0]?.uri)
})

test('a card with it is read, and says the same when it is written again', () => {
  const { card, beach } = readAgentCard(peer)
  expect(beach?.envelopeConsumes).toEqual(['domain-data', 'a2ui-surface', 'ta.itinerary-slot-state'])
  const again = agentCardToJson(card)
  expect(readAgentCard(again)).toEqual({ ...readAgentCard(peer), json: again })
  // Protocol Buffers leave out what is false.
  expect({ required: false, ...AgentCard.fromJSON(again).capabilities?.extensions[0] }).toMatchObject(
    capabilities.extensions[0] ?? {},
  )
})

test('a built card advertises what it consumes there', () => {
  const card = buildAgentCard({
    schemaVersion: '1.0',
    id: 'peer',
    name: 'Peer',
    description: 'Renders itineraries.',
    version: '1.0.0',
    capabilities: [],
    transports: [{ protocol: 'a2a', version: '1.0', endpoint: 'https://peer.example/a2a' }],
    envelope: { consumes: ['domain-data', 'a2ui-surface', 'ta.itinerary-slot-state'] },
  })
  expect(card.capabilities).toMatchObject(capabilities)
})

test('peers get the bespoke part only if their card lists it', () => {
  partTypeRegistry.register({
    partType: 'ta.itinerary-slot-state',
    deliveryRules: { streaming: 'flush', buffered: 'drop' },
    allowedTransports: ['sse', 'a2a'],
    requiresPeerConsumes: true,
  })
  const listener = (consumes: readonly string[]) =>
    ({ transport: 'a2a', deliveryClass: 'streaming', consumes }) as const
  const plain = readAgentCard({ ...peer, capabilities: {} })
  expect(decideDelivery('ta.itinerary-slot-state', listener(readAgentCard(peer).envelope.consumes))).toBe('flush')
  expect(decideDelivery('ta.itinerary-slot-state', listener(plain.envelope.consumes))).toBe('drop')
})
