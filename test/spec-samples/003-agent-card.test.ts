import {
  agentCardToJson,
  buildAgentCard,
  readAgentCard,
  signAgentCard,
  validateAgentCard,
  verifyAgentCard,
} from '@cool-ai/beach-protocol'
import { wellKnownAgentCard } from '@cool-ai/beach-transport'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, test } from 'vitest'
import { sample } from './003-card.ts'

// Document 003: "Schema", "Field reference", "Publishing", "Versioning" and "Caching". What is published is an A2A card
// with the Beach extension (spec README, "Agent Card"); the document's own shape is what authors write and peers may
// publish.

test('the card is right as it stands', () => {
  expect(validateAgentCard(sample)).toEqual([])
})

test('the card is published as an A2A card', () => {
  expect(agentCardToJson(buildAgentCard(sample))).toMatchObject({
    name: 'ExampleTravel',
    description: sample.description,
    version: '1.0.0',
    provider: { organization: 'Example Provider', url: 'https://example.com/' },
    supportedInterfaces: [
      { url: 'https://example.com/travel/a2a/messages', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    skills: sample.capabilities.map(({ id, description }) => ({ id, description })),
  })
})

test('every field of it comes back from what is published, and from the document itself', () => {
  const { $schema, ...fields } = sample
  for (const published of [agentCardToJson(buildAgentCard(sample)), sample]) {
    const travel = readAgentCard(JSON.stringify(published))
    expect(travel).toMatchObject(fields)
    expect(travel.beach).toMatchObject({ $schema, ...sample.extensions.beach })
  }
})

test('the card stays below ten kilobytes', () => {
  expect(JSON.stringify(agentCardToJson(buildAgentCard(sample))).length).toBeLessThan(10_240)
})

test.each(['schemaVersion', 'id', 'name', 'description', 'version', 'capabilities', 'transports'] as const)(
  '%s is required',
  (field) => {
    const { [field]: _, ...rest } = sample
    expect(validateAgentCard(rest)).toMatchObject([{ path: field, message: 'is missing' }])
  },
)

test('the rest is optional', () => {
  const { displayName: _1, provider: _2, envelope: _3, extensions: _4, contact: _5, generatedAt: _6, ...rest } = sample
  expect(validateAgentCard(rest)).toEqual([])
})

test('a capability may refer to JSON Schemas', () => {
  const entry = {
    id: 'flight-search',
    description: 'Search flights by origin, destination, dates.',
    examples: ['find me flights to Corfu in August'],
    inputSchema: { $ref: 'https://example.com/travel/schemas/flight-search-input.json' },
    outputSchema: { $ref: 'https://example.com/travel/schemas/flight-search-output.json' },
  }
  const card = buildAgentCard({ ...sample, capabilities: [entry] })
  expect(readAgentCard(agentCardToJson(card)).capabilities).toEqual([{ ...entry, requiredScopes: [] }])
})

test('consumer-defined part types are carried verbatim', () => {
  const envelope = {
    parts: ['domain-data', 'llm-context', 'a2ui-surface', 'ta.itinerary-slot-state'],
    consumes: ['domain-data', 'a2ui-surface', 'ta.itinerary-slot-state'],
  }
  expect(readAgentCard(agentCardToJson(buildAgentCard({ ...sample, envelope }))).envelope).toEqual(envelope)
})

test('a minor version of the schema and of the extension is read, a major one is refused', () => {
  const later = {
    ...sample,
    schemaVersion: '1.4',
    extensions: { beach: { version: '1.2', turnStates: ['pondering'] } },
  }
  expect(readAgentCard(later)).toMatchObject({ schemaVersion: '1.4', beach: { turnStates: ['pondering'] } })
  expect(() => readAgentCard({ ...sample, schemaVersion: '2.0' })).toThrow('only 1.x can be read here')
  expect(() => readAgentCard({ ...sample, extensions: { beach: { version: '2.0' } } })).toThrow('only 1.x')
})

test('app.use(wellKnownAgentCard(card)) serves it', async () => {
  const card = buildAgentCard(sample)
  const app = express()
  app.use(wellKnownAgentCard(card))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/.well-known/agent-card.json`
  const response = await fetch(url, { headers: { connection: 'close' } })
  expect(response.headers.get('cache-control')).toContain('max-age=3600')
  expect(readAgentCard(await response.json())).toMatchObject({ id: sample.id, generatedAt: sample.generatedAt })
  server.close()
})

test('the card can be signed', async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
  const signed = agentCardToJson(await signAgentCard(buildAgentCard(sample), { key: privateKey, kid: '2026-04' }))
  await expect(verifyAgentCard(signed, { keys: { '2026-04': publicKey } })).resolves.toMatchObject({ kid: '2026-04' })
  await expect(verifyAgentCard({ ...signed, name: 'Other' }, { keys: { '2026-04': publicKey } })).rejects.toThrow(
    'a signature that does not fit',
  )
})
