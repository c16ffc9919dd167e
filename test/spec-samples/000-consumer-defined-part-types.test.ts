import { partTypeRegistry, type Frame } from '@cool-ai/beach-core'
import { buildEnvelope, decideDelivery, EnvelopeStream, parsePart, type StreamPart } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 000, "Consumer-defined part types": Registration, and the worked example "TA itinerary surface".

partTypeRegistry.register({
  partType: 'ta.itinerary-slot-state',
  deliveryRules: {
    streaming: 'flush', // send immediately over SSE
    buffered: 'drop', // drop — transports that cannot render it should not receive it
  },
  allowedTransports: ['sse', 'a2a'], // excluded from email, MCP
  requiresPeerConsumes: true, // suppressed for peers that do not declare this type in consumes
})

// The worked example registers the same again.
partTypeRegistry.register({
  partType: 'ta.itinerary-slot-state',
  deliveryRules: { streaming: 'flush', buffered: 'drop' },
  allowedTransports: ['sse', 'a2a'],
  requiresPeerConsumes: true,
})

const packageData = { packages: [{ price: 1204 }] }
const itinerarySlotState = { slots: ['day-1'] }

// The argument of respond() in the worked example; respond() itself belongs to beach-llm.
const responded = {
  conversationState: 'complete',
  parts: [
    { partType: 'response', text: 'Here is your itinerary.' },
    { partType: 'domain-data', data: packageData },
    { partType: 'ta.itinerary-slot-state', data: itinerarySlotState },
  ],
}

test('the parts of the worked example are accepted as they are written', () => {
  expect(responded.parts.map((part) => parsePart(part).metadata.partType)).toEqual([
    'response',
    'domain-data',
    'ta.itinerary-slot-state',
  ])
  const envelope = buildEnvelope({ sessionId: 'sess_abc123', eventId: 'evt_1', ...responded })
  expect(envelope.parts[2]?.data).toEqual(itinerarySlotState)
})

test('in the browser, parts are routed by partType', () => {
  const envelopeStream = new EnvelopeStream()
  const handled: StreamPart[] = []
  const applied: unknown[] = []
  const a2uiRenderer = { handle: (part: StreamPart) => handled.push(part) }
  const itineraryRenderer = { apply: (data: unknown) => applied.push(data) }

  envelopeStream.on('part', (part) => {
    if (part.partType === 'a2ui-surface') a2uiRenderer.handle(part)
    if (part.partType === 'ta.itinerary-slot-state') itineraryRenderer.apply(part.data)
  })

  const surface = { partType: 'a2ui-surface', data: [{ version: 'v0.9', deleteSurface: { surfaceId: 's' } }] }
  const frames = [...responded.parts, surface].map((part, index): Frame => ({
    kind: 'part',
    role: 'agent',
    partId: `turn_a.0.${index}`,
    turnId: 'turn_a',
    part: parsePart(part),
    at: 0,
  }))
  for (const frame of frames) envelopeStream.apply(frame)
  expect(applied).toEqual([itinerarySlotState])
  expect(handled.map((part) => part.data)).toEqual([surface.data])
})

test('requiresPeerConsumes: a peer without the renderer gets the data, and the bespoke part is suppressed for it only', () => {
  const withRenderer = ['domain-data', 'a2ui-surface', 'ta.itinerary-slot-state']
  const decide = (partType: string, consumes?: string[]) =>
    decideDelivery(partType, {
      transport: 'a2a',
      deliveryClass: 'streaming',
      ...(consumes === undefined ? {} : { consumes }),
    })
  expect(decide('ta.itinerary-slot-state', withRenderer)).toBe('flush')
  expect(decide('ta.itinerary-slot-state', ['domain-data', 'llm-context'])).toBe('drop')
  expect(decide('domain-data', ['domain-data', 'llm-context'])).toBe('once')
  expect(decide('llm-context', ['domain-data', 'llm-context'])).toBe('at-settlement')
  // A peer that is no Beach agent.
  expect(decide('ta.itinerary-slot-state')).toBe('drop')
  expect(decide('domain-data')).toBe('once')
})

test('the part type is excluded from email and MCP', () => {
  for (const transport of ['smtp', 'mcp']) {
    const listener = { transport, deliveryClass: 'buffered', consumes: ['ta.itinerary-slot-state'] } as const
    expect(decideDelivery('ta.itinerary-slot-state', listener)).toBe('drop')
  }
})
