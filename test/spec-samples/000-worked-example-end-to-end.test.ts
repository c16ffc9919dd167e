import { defineActor } from '@cool-ai/beach'
import { partTypeRegistry, silentLogger, systemRuntime, type Originator, type Principal } from '@cool-ai/beach-core'
import { EnvelopeStream, type StreamPart } from '@cool-ai/beach-protocol/stream'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, test } from 'vitest'
import { readEvents } from '../support/server-events.ts'

const packageData = { nights: 7, total: 1_234 }
const itinerarySlotState = { slots: [{ day: 1, place: 'Corfu Town' }] }

// 000, "Worked example: TA itinerary surface": the sample's three steps, as written, on a running agent.
test('the worked example runs from registration to the browser, and only those get the part who may', async () => {
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
  const runtime = systemRuntime({ logger: silentLogger })
  const owner: Principal = { kind: 'user', id: 'ann', tenant: 'default' }
  const authenticators = [async () => ({ principal: owner, credential: { type: 'test' } })]
  await using running = await testAgent({ actors: { agent }, authenticators, runtime })
  const { beach } = running
  const url = await running.serve()
  const session = await beach.sessions.open({ principal: owner })
  const envelopeStream = new EnvelopeStream()
  const surfaces: StreamPart[] = []
  const itineraries: unknown[] = []
  envelopeStream.on('part', (part) => {
    if (part.partType === 'a2ui-surface') surfaces.push(part)
    if (part.partType === 'ta.itinerary-slot-state') itineraries.push(part.data)
  })
  await fetch(`${url}/sessions/${session}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'my itinerary, please' }),
  })
  let turnId = ''
  for await (const { event, data } of readEvents(`${url}/sessions/${session}/events`, {})) {
    envelopeStream.apply({ kind: event, ...(data as object) } as Parameters<EnvelopeStream['apply']>[0])
    if (event === 'settled') turnId = (data as { turnId: string }).turnId
    if (event === 'settled') break
  }
  expect(itineraries).toEqual([itinerarySlotState])

  const typesFor = async (to: Omit<Originator, 'id' | 'principal'>) => {
    const envelope = await beach.sessions.envelope(session, turnId, { id: 'x', principal: owner, ...to })
    return envelope?.parts.map((part) => part.metadata.partType)
  }
  const consumes = ['domain-data', 'ta.itinerary-slot-state']
  expect(await typesFor({ transport: 'a2a', deliveryClass: 'streaming', consumes })).toContain(
    'ta.itinerary-slot-state',
  )
  const others: Omit<Originator, 'id' | 'principal'>[] = [
    { transport: 'a2a', deliveryClass: 'streaming' },
    { transport: 'a2a', deliveryClass: 'buffered', consumes },
    { transport: 'mcp', deliveryClass: 'buffered', consumes },
    { transport: 'smtp', deliveryClass: 'buffered' },
  ]
  for (const to of others) expect(await typesFor(to)).not.toContain('ta.itinerary-slot-state')
})
