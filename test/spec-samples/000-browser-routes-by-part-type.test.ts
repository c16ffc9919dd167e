import { defineActor } from '@cool-ai/beach'
import { connect, openSession, type StreamPart } from '@cool-ai/beach-client'
import { partTypeRegistry, silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, test } from 'vitest'

const packageData = { nights: 7, total: 1_234 }
const itinerarySlotState = { slots: [{ day: 1, place: 'Corfu Town' }] }
const surface = [{ version: 'v0.9', createSurface: { surfaceId: 's1', catalogId: 'https://catalog.example/basic' } }]

// 000, "Worked example: TA itinerary surface", step 3, as written: the stream is the client's, on a real connection.
test('the browser routes parts to renderers by partType', async () => {
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
        { partType: 'a2ui-surface', data: surface },
        { partType: 'ta.itinerary-slot-state', data: itinerarySlotState },
      ],
    }),
  )
  const runtime = systemRuntime({ logger: silentLogger })
  await using running = await testAgent({ actors: { agent }, runtime })
  const url = await running.serve()
  const session = await openSession({ url })
  // The client prefers a WebSocket; the part type is allowed by `sse` and `a2a`.
  const conversation = connect({ url, ...session })
  try {
    const handled: StreamPart[] = []
    const applied: unknown[] = []
    const a2uiRenderer = { handle: (part: StreamPart) => void handled.push(part) }
    const itineraryRenderer = { apply: (data: unknown) => void applied.push(data) }
    const envelopeStream = conversation.stream
    const settled = new Promise((resolve) => envelopeStream.on('settled', resolve))

    envelopeStream.on('part', (part) => {
      if (part.partType === 'a2ui-surface') a2uiRenderer.handle(part)
      if (part.partType === 'ta.itinerary-slot-state') itineraryRenderer.apply(part.data)
    })

    await conversation.send('my itinerary, please')
    await settled
    expect(handled).toMatchObject([{ partType: 'a2ui-surface', data: surface }])
    expect(applied).toEqual([itinerarySlotState])
  } finally {
    conversation.close()
  }
})
