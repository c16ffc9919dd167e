import { EventType } from '@ag-ui/core'
import { defineActor, type BeachOptions } from '@cool-ai/beach'
import type { PartTypeRegistration } from '@cool-ai/beach-core'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { describe, expect, test } from 'vitest'
import { request, says, send, startAgent, stockClient } from '../a2a/agent.ts'
import { asks, inOrder, respond } from '../a2a-client/home-agent.ts'
import { StockAgent } from '../agui/agent.ts'
import { Conversation } from '../support/conversation.ts'
import { freePort } from '../support/free-port.ts'

// Document 004, "Turn states", `delegated`: "Partial (streaming of the peer's envelope as it arrives)".

const itinerary: PartTypeRegistration = {
  partType: 'ta.itinerary-slot-state',
  deliveryRules: { streaming: 'flush', buffered: 'drop' },
  allowedTransports: ['sse', 'a2a', 'agui'],
  requiresPeerConsumes: true,
}
const card = (id: string, name: string) => ({
  schemaVersion: '1.0',
  id,
  name,
  description: 'Knows flights.',
  version: '1.0.0',
  capabilities: [],
})
const mood: PartTypeRegistration = { partType: 'sally.mood', deliveryRules: { streaming: 'flush', buffered: 'drop' } }

/** Baxter, who asks Sally; she says the end of her answer when she is told to. */
async function agents(options: Partial<BeachOptions> = {}) {
  const { promise: reported, resolve: tell } = Promise.withResolvers<void>()
  async function* answer() {
    yield 'Two direct '
    await reported
    yield 'options.'
  }
  const sally = defineActor(async (turn) => {
    await turn.respond({ parts: [{ partType: 'ack', text: 'Looking up flights.' }], turnState: 'awaiting' })
    const parts = [
      { partType: 'response', text: answer() },
      { partType: 'domain-data', data: { flights: 2 }, metadata: { slotKey: 'found' } },
      { partType: 'ta.itinerary-slot-state', data: { day: 1 } },
      { partType: 'sally.mood', data: { mood: 'fine' } },
    ] as const
    await turn.respond({ parts, turnState: 'complete' })
  })
  const port = await freePort()
  const travel = await startAgent({
    agent: card('sally', 'Sally'),
    actors: { sally },
    partTypes: [itinerary, mood],
    access: { callerCards: { allowOrigins: [`http://127.0.0.1:${port}`] } },
  })
  const model = scriptedModel({
    rules: inOrder(asks('ask_sally', { message: 'Flights?' }), respond('Sally knows two.')),
  })
  const { url } = await startAgent({
    agent: card('baxter', 'Baxter'),
    actors: { baxter: llmActor({ name: 'baxter', prompt: 'You are Baxter.', model }) },
    partTypes: [itinerary],
    peers: { sally: { url: `${travel.url}/` } },
    port,
    ...options,
  })
  return { url, tell }
}

const origin = { peer: 'sally', name: 'Sally' }

describe('004 "Turn states": while a turn is delegated, the peer’s envelope streams as it arrives', () => {
  test.each(['sse', 'websocket'] as const)('to a page by %s, its parts with their types and the peer', async (via) => {
    const { url, tell } = await agents()
    const talk = await Conversation.open(url, via)
    await talk.say('Flights, please.')
    await talk.until(({ parts }) => parts.some(({ open, text }) => open && text === 'Two direct '))
    const growing = talk.partOf('response')
    expect(growing).toMatchObject({ open: true, metadata: { partType: 'response', origin } })
    expect(talk.stream.turns.at(-1)?.turnState).toBe('delegated')
    tell()
    await talk.settled(1)
    const passedOn = talk.stream.parts.filter(({ turnState, role }) => turnState === 'delegated' && role === 'agent')
    expect(passedOn.map(({ partType, text, data }) => [partType, text ?? data])).toEqual([
      ['progress', { label: 'Asking sally' }],
      ['ack', 'Looking up flights.'],
      ['response', 'Two direct options.'],
      ['domain-data', { flights: 2 }],
      ['ta.itinerary-slot-state', { day: 1 }],
      ['sally.mood', { mood: 'fine' }],
    ])
    for (const { metadata } of passedOn) expect(metadata.origin).toMatchObject({ peer: 'sally' })
    expect(talk.partOf('response')).toMatchObject({ turnState: 'complete', text: 'Sally knows two.' })
    expect(talk.partOf('response')?.metadata).not.toHaveProperty('origin')
  })

  test('to a stock client by AG-UI, under the peer’s name', async () => {
    const { url, tell } = await agents()
    const client = new StockAgent({ url, threadId: 'thread-with-a-long-enough-name-1' })
    tell()
    const { events } = await client.say('Flights, please.')
    // What grew is replaced by what was said: the client has each of it once, under its author's name.
    expect(client.agent.messages.filter(({ role }) => role === 'assistant')).toMatchObject([
      // That a peer is asked is shown as any other tool is: without what it is asked.
      { toolCalls: [{ function: { name: 'ask_sally', arguments: '{}' } }] },
      { name: 'Sally', content: 'Looking up flights.', metadata: { partType: 'ack', origin } },
      { name: 'Sally', content: 'Two direct options.', metadata: { partType: 'response', origin } },
      { content: 'Sally knows two.', metadata: { partType: 'response' } },
    ])
    expect(client.agent.messages.at(-1)).not.toHaveProperty('name')
    const custom = events.filter(({ type }) => type === EventType.CUSTOM)
    expect(custom).toContainEqual(
      expect.objectContaining({ name: 'ta.itinerary-slot-state', value: { day: 1 } }) as object,
    )
    // Its name means nothing here, and is no event's.
    const { value } = custom.find(({ name }) => name === 'beach.peer-part') as { value?: object }
    expect(value).toMatchObject({ data: { mood: 'fine' }, metadata: { partType: 'sally.mood', origin } })
  })

  test('to a stock client by A2A, which gets Baxter’s own answer as the answer', async () => {
    const { url, tell } = await agents()
    const client = await stockClient(url)
    const pieces: unknown[] = []
    for await (const { payload } of client.sendMessageStream(request(says('Flights, please.')))) {
      if (payload?.$case !== 'artifactUpdate') continue
      const [part] = payload.value.artifact?.parts ?? []
      if (part?.content?.$case === 'text') pieces.push([part.content.value, part.metadata])
      tell()
    }
    expect(pieces[0]).toEqual([
      'Two direct ',
      { partType: 'response', origin: expect.objectContaining(origin) as object },
    ])
    expect(pieces.at(-1)).toEqual(['Sally knows two.', { partType: 'response' }])
  })

  test('and an answer that is sent as a whole is Baxter’s own, with Sally’s data', async () => {
    const { url, tell } = await agents()
    tell()
    const task = await send(await stockClient(url), says('Flights, please.'))
    const whole = JSON.stringify(task)
    expect(whole).toContain('Sally knows two.')
    expect(whole).toContain('peers.sally.found')
    expect(whole).not.toContain('Two direct')
    expect(whole).not.toContain('sally.mood')
  })
})
