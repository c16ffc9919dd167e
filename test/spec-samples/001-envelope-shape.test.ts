import {
  a2uiMessages,
  buildEnvelope,
  collectDomainData,
  envelopeSchema,
  parseEnvelope,
  parsePart,
  resolvePointer,
} from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 001, "The canonical three" and "Full envelope shape".

const domainData = {
  data: {
    route: { origin: 'London Gatwick', destination: 'Corfu' },
    flights: [
      {
        flightNumber: 'BA 2043',
        airline: 'British Airways',
        departure: '2026-08-15T08:45:00',
        arrival: '2026-08-15T14:20:00',
        pricePerPerson: 187,
        currency: 'GBP',
        stops: 0,
      },
    ],
  },
  metadata: { partType: 'domain-data' },
}

const llmContext = {
  text: 'Two direct flights found, 15 August 2026 LGW→CFU. Cheapest is easyJet EJ4521 at £94 per person (06:15–12:00).',
  metadata: { partType: 'llm-context' },
}

const surface = {
  data: {
    version: 'v0.9',
    createSurface: {
      surfaceId: 'flight-results',
      catalogId: 'https://a2ui.org/specification/v0_9/basic_catalog.json',
      sendDataModel: true,
    },
    updateDataModel: { surfaceId: 'flight-results', path: '/', value: { flights: [] } },
    updateComponents: { surfaceId: 'flight-results', components: [{ id: 'root', component: 'Text', text: 'Flights' }] },
  },
  metadata: { partType: 'a2ui-surface' },
}

const envelope = {
  role: 'agent',
  parts: [domainData, llmContext, surface],
  meta: {
    sessionId: 'sess_abc123',
    turnId: 'turn_xyz789',
    producedAt: '2026-04-20T09:50:00Z',
    finalizedBy: 'complete',
  },
}

test.each([domainData, llmContext])('the $metadata.partType part is accepted unchanged', (part) => {
  expect(parsePart(part)).toEqual(part)
})

test('the a2ui-surface part is accepted, and goes on as a list of single messages', () => {
  expect(parsePart(surface)).toEqual({ ...surface, data: a2uiMessages(surface.data) })
})

test('UIs bind to the domain data by JSON Pointer path', () => {
  expect(resolvePointer(collectDomainData([domainData]), '/flights/0/pricePerPerson')).toEqual({
    found: true,
    value: 187,
  })
})

test('the combined A2UI object is taken apart in the order create, data model, components', () => {
  // A2UI itself allows one message per object (spec README, "A2UI data object").
  const { version, createSurface, updateDataModel, updateComponents } = surface.data
  expect(a2uiMessages(surface.data)).toEqual([
    { version, createSurface },
    { version, updateDataModel },
    { version, updateComponents },
  ])
})

test('the full envelope is valid and is read with partType on the parts', () => {
  expect(envelopeSchema.parse(envelope)).toEqual(envelope)
  const read = parseEnvelope(JSON.parse(JSON.stringify(envelope)))
  expect(read).toMatchObject(envelope)
  expect(read.parts.map((part) => part.partType)).toEqual(['domain-data', 'llm-context', 'a2ui-surface'])
})

test('the builder makes an envelope of this shape', () => {
  const built = buildEnvelope({ sessionId: 'sess_abc123', turnId: 'turn_xyz789', parts: envelope.parts })
  const parts = [...envelope.parts.slice(0, -1), { ...surface, data: a2uiMessages(surface.data) }]
  expect(built).toMatchObject({ ...envelope, parts, meta: { ...envelope.meta, producedAt: expect.any(String) } })
})
