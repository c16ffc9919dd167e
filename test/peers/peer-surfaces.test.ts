import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { peerSurfacePrefix } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import { answerOf, data, ownContext, says, send, startAgent, stateOf, stockClient } from '../a2a/agent.ts'
import { asks, respond } from '../a2a-client/home-agent.ts'
import { StockAgent } from '../agui/agent.ts'
import { connect, textsOf } from '../mcp/support.ts'
import { Conversation } from '../support/conversation.ts'
import { freePort } from '../support/free-port.ts'
import { actionMessage } from '../support/press.ts'
import { card, startBaxter, startSally } from './two-agents.ts'

// Document 001, "The canonical three", and 004, "Envelope parts (for peer agents and UIs)": Sally answers Baxter with
// a surface, for a peer's UI to render.

const choose = (surfaceId: string, passengers = 3) => ({
  surfaceId,
  componentId: 'choose',
  name: 'choose',
  context: { flightNumber: 'BA 2043', passengers },
})

describe('001 "Part 3 — UI surface": a peer’s surface reaches the caller’s user', () => {
  test.each(['sse', 'websocket'] as const)('by %s, and what the user does on it goes back', async (via) => {
    const sally = await startSally()
    const { url } = await startBaxter(sally)
    const talk = await Conversation.open(url, via)
    await talk.say('Flights, please.')
    await talk.settled(1)
    const shown = talk.partOf('a2ui-surface')
    const [surfaceId = ''] = talk.surfaceIds
    expect(surfaceId).toMatch(new RegExp(`^${peerSurfacePrefix}[\\w-]{16}:flight-results$`))
    expect(shown?.metadata).toMatchObject({ origin: { peer: 'sally', name: 'Sally' }, slotKey: 'peers.sally.found' })
    expect(JSON.stringify(shown?.data)).toContain('"agentDisplayName":"Sally"')

    const pressed = await talk.press(choose(surfaceId))
    expect(pressed.status).toBe(202)
    await talk.settled(2)
    const turnId = talk.stream.turns.at(-1)?.turnId
    const parts = talk.stream.parts.filter((part) => part.turnId === turnId && part.role === 'agent')
    expect(parts.map(({ partType, text, turnState }) => [turnState, partType, text])).toEqual([
      ['delegated', 'progress', undefined],
      ['delegated', 'response', 'Done: Pressed “Choose” (flightNumber: "BA 2043", passengers: 3)'],
      ['awaiting', 'thinking', 'Sally has answered.'],
      ['complete', 'response', 'Sally: Done: Pressed “Choose” (flightNumber: "BA 2043", passengers: 3)'],
    ])
    expect(sally.received.at(-1)).toMatchObject({ data: { action: { surfaceId: 'flight-results', name: 'choose' } } })
  })

  test('by AG-UI to a stock client, whose action goes back', async () => {
    const sally = await startSally()
    const { url } = await startBaxter(sally)
    const client = new StockAgent({ url, threadId: 'thread-with-a-long-enough-name-1' })
    await client.say('Flights, please.')
    const activity = client.messages.find(({ role }) => role === 'activity')
    const { a2ui_operations: operations, origin } = (activity?.content ?? {}) as {
      a2ui_operations: { createSurface?: { surfaceId: string; theme: object } }[]
      origin: object
    }
    const { surfaceId = '', theme } = operations[0]?.createSurface ?? {}
    expect(origin).toMatchObject({ peer: 'sally', name: 'Sally' })
    expect(theme).toEqual({ agentDisplayName: 'Sally' })
    const { action: userAction } = actionMessage(choose(surfaceId))
    const { error, rejected } = await client.run({ forwardedProps: { a2uiAction: { userAction } } })
    expect({ error, rejected }).toEqual({ error: undefined, rejected: undefined })
    expect(client.texts().at(-1)).toMatch(/^Sally: Done: Pressed “Choose”/)
    expect(sally.received.at(-1)).toMatchObject({ data: { action: { surfaceId: 'flight-results' } } })
  })

  test('by A2A to a stock client, whose action by A2UI’s own extension goes back', async () => {
    const sally = await startSally()
    const { url } = await startBaxter(sally)
    const client = await stockClient(url)
    const contextId = ownContext('carl')
    const shown = await send(client, says('Flights, please.', { contextId }))
    const surface = shown.artifacts.flatMap(({ parts }) => parts).find(({ mediaType }) => mediaType.includes('a2ui'))
    expect(surface?.metadata?.origin).toMatchObject({ peer: 'sally', name: 'Sally', actor: 'sally' })
    const [surfaceId = ''] = surfaceIdsIn(surface)
    const mimeType = 'application/json+a2ui'
    const content = { $case: 'data' as const, value: [actionMessage(choose(surfaceId))] }
    const part = { content, metadata: { mimeType }, filename: '', mediaType: mimeType }
    const done = await send(client, says('', { contextId, parts: [part] }))
    expect(stateOf(done)).toBe('COMPLETED')
    expect(answerOf(done)).toEqual(['Sally: Done: Pressed “Choose” (flightNumber: "BA 2043", passengers: 3)'])
    // What the session has written into the part is not shown as if it had been sent.
    const named = data(actionMessage(choose(surfaceId, 4)), 'a2ui-action')
    const again = await send(client, says('', { contextId, parts: [named] }))
    expect(again.history[0]?.parts).toMatchObject([{ metadata: { partType: 'a2ui-action' } }])
    expect(Object.keys(again.history[0]?.parts[0]?.metadata ?? {})).toEqual(['partType'])
  })

  test('by MCP to a client that shows surfaces, whose action goes back', async () => {
    const sally = await startSally()
    const { url } = await startBaxter(sally)
    const client = await connect(new URL('/mcp', url), 'modern', { hostsApps: true })
    const ask = (args: Record<string, unknown>) => client.callTool({ name: 'ask_baxter', arguments: args })
    const shown = await ask({ message: 'Flights, please.' })
    const { conversationId } = shown.structuredContent as { conversationId: string }
    const [surfaceId = ''] = surfaceIdsIn(shown.structuredContent)
    expect(surfaceId).toMatch(/^peer:/)
    const { action } = actionMessage(choose(surfaceId))
    const done = await ask({ message: 'Pressed.', conversationId, action })
    expect(textsOf(done).map(({ text }) => text)).toContain(
      'Sally: Done: Pressed “Choose” (flightNumber: "BA 2043", passengers: 3)',
    )
  })

  test('with the data of her surface, when she asks for it', async () => {
    const sally = await startSally()
    const { url } = await startBaxter(sally)
    const client = new StockAgent({ url, threadId: 'thread-with-a-long-enough-name-2' })
    await client.say('Flights, please.')
    const [surfaceId = ''] = surfaceIdsIn(client.messages)
    const surfaces = { [surfaceId]: { passengers: 3 }, 'own-form': { card: '4242' } }
    const a2uiClientDataModel = { version: 'v0.9', surfaces }
    const { action: userAction } = actionMessage(choose(surfaceId))
    await client.run({ forwardedProps: { a2uiAction: { userAction, a2uiClientDataModel } } })
    expect(sally.received.at(-1)?.metadata.a2uiClientDataModel).toEqual({
      version: 'v0.9',
      surfaces: { 'flight-results': { passengers: 3 } },
    })
  })

  test('of a peer that speaks MCP only, and what is done on it goes back by MCP', async () => {
    const [port, baxterPort] = [await freePort(), await freePort()]
    const endpoint = `http://127.0.0.1:${port}/mcp`
    const transports = [{ protocol: 'mcp', version: 'stable', endpoint, transport: 'http', tool: 'ask_tester' }]
    const sally = await startSally({
      options: {
        port,
        protocols: { a2a: false },
        agent: { ...card('sally', 'Sally'), transports },
        access: { callerCards: { allowOrigins: [`http://127.0.0.1:${baxterPort}`] } },
      },
    })
    const { url } = await startBaxter(sally, { port: baxterPort })
    const talk = await Conversation.open(url)
    await talk.say('Flights, please.')
    await talk.settled(1)
    expect(talk.partOf('response')?.text).toBe('Sally: One flight.')
    const [surfaceId = ''] = talk.surfaceIds
    expect(surfaceId).toMatch(/^peer:/)
    await talk.press(choose(surfaceId))
    await talk.settled(2)
    expect(talk.partOf('response')?.text).toMatch(/^Sally: Done: Pressed “Choose”/)
    expect(sally.received.at(-1)).toMatchObject({ data: { action: { surfaceId: 'flight-results', name: 'choose' } } })
  })

  test('through a third agent, which each of them knows by the next one only', async () => {
    const sally = await startSally()
    const baxter = await startBaxter(sally)
    const rules = [
      { when: ({ text }: { text: string }) => text.includes('passed on to'), say: () => respond('Baxter was told.') },
      { when: ({ step }: { step: number }) => step > 0, say: () => respond('Baxter has answered.') },
      { say: () => asks('ask_baxter', { message: 'Flights?' }) },
    ]
    const carl = await startAgent({
      agent: card('carl', 'Carl'),
      actors: { carl: llmActor({ name: 'carl', prompt: 'You are Carl.', model: scriptedModel({ rules }) }) },
      peers: { baxter: { url: `${baxter.url}/` } },
    })
    const talk = await Conversation.open(carl.url)
    await talk.say('Flights, please.')
    await talk.settled(1)
    const [surfaceId = ''] = talk.surfaceIds
    expect(surfaceId).toMatch(/^peer:[\w-]{16}:peer:[\w-]{16}:flight-results$/)
    expect(talk.partOf('a2ui-surface')?.metadata.origin).toMatchObject({
      peer: 'baxter',
      name: 'Baxter',
      from: 'Sally',
    })
    expect((await talk.press(choose(surfaceId))).status).toBe(202)
    await talk.settled(2)
    expect(talk.partOf('response')?.text).toBe('Baxter was told.')
    expect(sally.received.at(-1)).toMatchObject({ data: { action: { surfaceId: 'flight-results' } } })
  })
})

describe('003 "Envelope block": consumes', () => {
  const consumesOf = async (url: string) => {
    const response = await fetch(`${url}/.well-known/agent-card.json`)
    const published = (await response.json()) as { capabilities: { extensions: { uri: string; params: object }[] } }
    const { params } = published.capabilities.extensions.find(({ uri }) => uri === BEACH_EXTENSION_URI) ?? {}
    return (params as { envelopeConsumes?: string[] }).envelopeConsumes
  }
  const sally = { url: 'http://127.0.0.1:9' }

  test('has a2ui-surface by default for an agent with a channel that can show it', async () => {
    const { url } = await startBaxter(sally)
    expect(await consumesOf(url)).toContain('a2ui-surface')
  })

  test('has it not for an agent whose channels cannot', async () => {
    const { url } = await startBaxter(sally, {
      protocols: { sse: false, webSocket: false, agui: false, mcp: { app: false } },
    })
    expect(await consumesOf(url)).not.toContain('a2ui-surface')
    expect(await consumesOf(url)).toContain('domain-data')
  })

  test('is what its author says, and surfaces that it leaves out are not shown', async () => {
    const travel = await startSally()
    const own = { ...card('baxter', 'Baxter'), envelope: { consumes: ['domain-data'] } }
    const { url } = await startBaxter(travel, { agent: own })
    expect(await consumesOf(url)).toEqual(['domain-data'])
    const talk = await Conversation.open(url)
    await talk.say('Flights, please.')
    await talk.settled(1)
    expect(talk.partOf('domain-data')?.data).toEqual({ flights: 1 })
    expect(talk.partOf('a2ui-surface')).toBeUndefined()
  })
})

/** The ids of surfaces that something shows. */
function surfaceIdsIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"createSurface":{"surfaceId":"([^"]+)"/g)].map(([, id = '']) => id)
}
