import { partTypes } from '@cool-ai/beach-core'
import { decideDelivery, parsePart } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 004, "Part types" and "Consumer-registered part types". The document's form of a registration is mapped to
// delivery rules (spec README, "registering a part type").

test('a missing registration causes validation failure', () => {
  expect(() => parsePart({ data: {}, metadata: { partType: 'audio' } })).toThrow(
    "The part type 'audio' is not registered",
  )
})

test('the sample registers a part type, with a warning because it has no namespace', () => {
  partTypes.register({
    id: 'audio',
    isCanonical: false,
    meta: { streamingPreferred: true, buffered: 'dropped', serialisation: 'base64' },
  })
  expect(partTypes.get('audio')).toMatchObject({
    partType: 'audio',
    isCanonical: false,
    deliveryRules: { streaming: 'flush', buffered: 'drop', serialisation: 'base64' },
  })
  expect(parsePart({ data: 'UklGRg==', metadata: { partType: 'audio' } }).data).toBe('UklGRg==')
})

test('thinking goes to streaming listeners only, and ack is stripped from asynchronous channels', () => {
  for (const partType of ['ack', 'thinking']) {
    expect(decideDelivery(partType, { transport: 'sse', deliveryClass: 'streaming' })).toBe('flush')
    for (const transport of ['smtp', 'whatsapp', 'sms', 'webhook', 'mcp', 'a2a']) {
      expect(decideDelivery(partType, { transport, deliveryClass: 'buffered' })).toBe('drop')
    }
  }
})

test('an artifact carries artifactId, mimeType and sizeBytes', () => {
  const data = { artifactId: 'art_1', mimeType: 'audio/wav', sizeBytes: 4_096 }
  expect(parsePart({ data, metadata: { partType: 'artifact' } }).data).toEqual(data)
})
