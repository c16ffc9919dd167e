import { defineActor } from '@cool-ai/beach'
import { partTypeRegistry } from '@cool-ai/beach-core'
import { EnvelopeStream, type StreamPart } from '@cool-ai/beach-protocol/stream'
import { describe, expect, test } from 'vitest'
import { buffered, reachable, streaming } from '../support/listeners.ts'

// 000, "Worked example: TA itinerary surface": the sample's three steps, as written, on a running agent with real channels.

const packageData = { nights: 7, total: 1_234 }
const itinerarySlotState = { slots: [{ day: 1, place: 'Corfu Town' }] }

partTypeRegistry.register({
  partType: 'ta.itinerary-slot-state',
  deliveryRules: { streaming: 'flush', buffered: 'drop' },
  allowedTransports: ['sse', 'a2a'],
  requiresPeerConsumes: true,
})

const agent = defineActor(({ respond }) =>
  respond({
    conversationState: 'complete',
    parts: [
      { partType: 'response', text: 'Here is your itinerary.' },
      { partType: 'domain-data', data: packageData },
      { partType: 'ta.itinerary-slot-state', data: itinerarySlotState },
    ],
  }),
)
const actors = { agent }
const itinerary = ['domain-data', 'a2ui-surface', 'ta.itinerary-slot-state']

test('the browser gets the part, and routes it by its type', async (context) => {
  const received = await streaming.SSE(await reachable(context, { actors }), 'My itinerary, please.')
  await received.over()
  const envelopeStream = new EnvelopeStream()
  const surfaces: StreamPart[] = []
  const itineraries: unknown[] = []
  envelopeStream.on('part', (part) => {
    if (part.partType === 'a2ui-surface') surfaces.push(part)
    if (part.partType === 'ta.itinerary-slot-state') itineraries.push(part.data)
  })
  for (const { event: kind, ...frame } of received.all as { event: string }[]) {
    envelopeStream.apply({ kind, ...frame } as Parameters<EnvelopeStream['apply']>[0])
  }
  expect([itineraries, surfaces]).toEqual([[itinerarySlotState], []])
})

describe('of the peers, those get the part that stream and whose Agent Card has it in envelopeConsumes', () => {
  test('a peer that consumes it', async (context) => {
    const running = await reachable(context, { actors }, itinerary)
    const received = await streaming['A2A (streaming)'](running, 'My itinerary, please.')
    await received.over()
    expect(received.has('Corfu Town')).toBe(true)
  })

  test('not a peer without the renderer, which has the data', async (context) => {
    const running = await reachable(context, { actors }, ['domain-data'])
    const received = await streaming['A2A (streaming)'](running, 'My itinerary, please.')
    await received.over()
    expect([received.has('Corfu Town'), received.has('"nights":7')]).toEqual([false, true])
  })

  test.for(Object.entries(buffered))('not a listener by %s', async ([, listen], context) => {
    const received = await listen(await reachable(context, { actors }, itinerary), 'My itinerary, please.')
    await received.until('Here is your itinerary.')
    expect(received.has('Corfu Town')).toBe(false)
  })
})
