import type { AuthoredPart, Originator, Part } from '@cool-ai/beach-core'
import {
  buildEnvelope,
  decideDelivery,
  planDelivery,
  registerSurfaceTemplate,
  toWirePart,
  wantsLlmContext,
} from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 001, "Assembly and delivery" (the sequence of a typical turn) and "Transport independence" (the table).

const browser = { transport: 'sse', deliveryClass: 'streaming' } as const
const peer = { transport: 'a2a', deliveryClass: 'buffered', consumes: ['domain-data', 'llm-context'] } as const

const ack: AuthoredPart = { partType: 'ack', text: 'Looking up flights.' }
const thinking: AuthoredPart = { partType: 'thinking', text: 'Filtering.' }
const found: AuthoredPart = { partType: 'domain-data', data: { flights: [1] }, metadata: { kind: 'flight-results' } }
const route: AuthoredPart = {
  partType: 'domain-data',
  data: { route: 'LGW-CFU' },
  metadata: { kind: 'flight-results' },
}
const response: AuthoredPart = { partType: 'response', text: 'One flight.' }

registerSurfaceTemplate('flight-results', () => ({ version: 'v0.9', createSurface: { surfaceId: 'flights' } }))

test('1, 3: ack and thinking are emitted to streaming transports and dropped by buffered ones', () => {
  for (const part of [ack, thinking]) {
    expect(decideDelivery(toWirePart(part), browser)).toBe('flush')
    expect(decideDelivery(toWirePart(part), peer)).toBe('drop')
  }
})

test('6: the builder collects the data of the mailbox, adds llm-context where it is wanted, and builds surfaces', () => {
  expect(wantsLlmContext([browser])).toBe(false)
  expect(wantsLlmContext([browser, peer])).toBe(true)
  const envelope = buildEnvelope({
    sessionId: 'sess_1',
    turnId: 'turn_1',
    turnState: 'complete',
    mailbox: [ack, found, thinking],
    parts: [response, route],
    llmContext: 'A single flight.',
  })
  expect(envelope.parts.map((part) => part.metadata.partType)).toEqual([
    'domain-data',
    'response',
    'llm-context',
    'a2ui-surface',
  ])
  expect(envelope.parts[0]?.data).toEqual({ flights: [1], route: 'LGW-CFU' })
})

const everything: Part[] = ['response', 'domain-data', 'a2ui-surface', 'reasoning-trace', 'artifact'].map(
  (partType) => ({
    data: {},
    metadata: { partType },
  }),
)
const planned = (to: Pick<Originator, 'transport' | 'deliveryClass'>) =>
  planDelivery(everything, to).map(({ part, decision }) => `${part.metadata.partType} ${decision}`)

test.each([
  ['A2A HTTP (streaming)', 'a2a', 'streaming'],
  ['SSE (local UI)', 'sse', 'streaming'],
  ['WebSocket', 'websocket', 'streaming'],
] as const)('%s: parts are flushed as they arrive', (_name, transport, deliveryClass) => {
  expect(planned({ transport, deliveryClass })).toEqual([
    'response delta',
    'domain-data once',
    'a2ui-surface flush',
    'artifact url-reference',
  ])
})

test.each([
  ['A2A HTTP (non-streaming)', 'a2a', 'attach'],
  ['MCP', 'mcp', 'url-reference'],
  ['Webhook reply', 'webhook', 'attach'],
] as const)('%s: one envelope at settlement', (_name, transport, artifact) => {
  expect(planned({ transport, deliveryClass: 'buffered' })).toEqual([
    'response final-state',
    'domain-data at-settlement',
    'a2ui-surface final-state',
    `artifact ${artifact}`,
  ])
})

test('email: data is attached, the artifact becomes an attachment', () => {
  expect(planned({ transport: 'smtp', deliveryClass: 'buffered' })).toEqual([
    'response final-state',
    'domain-data attach',
    'a2ui-surface final-state',
    'artifact attach',
  ])
})

// The document: "typically dropped or attached". Document 000 has data once at settlement, and surfaces rendered in their
// final state: on phones both are lists in words, since the next question is about them.
test.each([
  ['whatsapp', 'attach'],
  ['sms', 'url-reference'],
] as const)('%s: data and surfaces at settlement, the artifact by %s', (transport, artifact) => {
  expect(planned({ transport, deliveryClass: 'buffered' })).toEqual([
    'response final-state',
    'domain-data at-settlement',
    'a2ui-surface final-state',
    `artifact ${artifact}`,
  ])
})
