import { EventType } from '@ag-ui/core'
import { createBeach, defineActor, serve } from '@cool-ai/beach'
import { silentLogger, systemRuntime, type Envelope, type Store } from '@cool-ai/beach-core'
import { standardWebhooks, webhooks } from '@cool-ai/beach-hooks'
import { buildEnvelope } from '@cool-ai/beach-protocol'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { request, says, send, stockClient, ways } from '../a2a/agent.ts'
import { StockAgent } from '../agui/agent.ts'
import { Conversation } from '../support/conversation.ts'
import { freePort } from '../support/free-port.ts'
import { post, textParts, whsec } from '../webhook/webhook-context.ts'

// Document 001, "Part 3 — UI surface": its object, with what it leaves out filled in. A2UI has one message an object, so
// it goes out as a list of them: create, data model, components.

const surface = {
  version: 'v0.9',
  createSurface: {
    surfaceId: 'flight-results',
    catalogId: 'https://a2ui.org/specification/v0_9/basic_catalog.json',
    sendDataModel: true,
  },
  updateDataModel: { surfaceId: 'flight-results', path: '/', value: { title: 'Two direct flights' } },
  updateComponents: {
    surfaceId: 'flight-results',
    components: [{ id: 'root', component: 'Text', text: { path: '/title' } }],
  },
}
const { version, createSurface, updateDataModel, updateComponents } = surface
const messages = [
  { version, createSurface },
  { version, updateDataModel },
  { version, updateComponents },
]
const forms = {
  'the combined object': surface,
  'a list with it': [surface],
  'messages in an object': { messages },
  'components before data': { version, updateComponents, updateDataModel, createSurface },
  'a list of messages': messages,
}

const runtime = systemRuntime({ logger: silentLogger })
const secret = new Uint8Array(32).fill(7)
const catalogs = { a2ui: { clientCapabilities: { 'v0.9': { supportedCatalogIds: [] } } } }

/** A store that outlives its process. */
class LastingStore extends MemoryStore {
  override async close(): Promise<void> {}
}

interface Started {
  readonly url: string
  readonly stop: () => Promise<void>
}

async function start(data: object, store: Store = new LastingStore({ runtime }), port = 0): Promise<Started> {
  const actor = defineActor(async ({ respond }) => {
    const parts = [
      { partType: 'response', text: 'Two.' },
      { partType: 'a2ui-surface', data },
    ] as const
    await respond({ parts, turnState: 'complete' })
  })
  const hook = { verify: standardWebhooks({ secrets: [whsec(1)] }), parts: textParts, session: () => 'one' }
  const make = (publicUrl: string) =>
    createBeach({
      agent: { id: 'sally', name: 'Sally', description: 'Knows flights.', capabilities: [] },
      actors: { actor },
      data: { store, secret },
      runtime,
      publicUrl,
      channels: [webhooks({ hooks: { notes: hook } })],
    })
  const serving = await serve(make, { port })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= serving.close())
  onTestFinished(stop)
  return { url: serving.url, stop }
}

interface Data {
  readonly data?: unknown
  readonly metadata?: { readonly partType?: string }
}

function surfaceIn(parts: readonly Data[]): unknown {
  return parts.find(({ metadata }) => metadata?.partType === 'a2ui-surface')?.data
}

async function byWebhook(url: string): Promise<unknown> {
  const { parts } = (await (await post(`${url}/webhooks/notes`, { text: 'flights' })).json()) as Envelope
  return surfaceIn(parts)
}

async function byMcp(url: string): Promise<unknown> {
  const client = new Client({ name: 'tester', version: '1.0.0' }, { capabilities: { experimental: catalogs } })
  onTestFinished(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)))
  const result = await client.callTool({ name: 'ask_sally', arguments: { message: 'flights' } })
  const resource = result.content.find(({ type }) => type === 'resource')
  const text = resource?.type === 'resource' && 'text' in resource.resource ? resource.resource.text : ''
  expect(JSON.parse(text)).toEqual(messages)
  return surfaceIn((result.structuredContent as { parts: Data[] }).parts)
}

async function byPage(url: string, via: 'sse' | 'websocket'): Promise<unknown> {
  const talk = await Conversation.open(url, via)
  await talk.say('flights')
  await talk.settled(1)
  return talk.partOf('a2ui-surface')?.data
}

async function byAgui(url: string): Promise<unknown> {
  const client = new StockAgent({ url, threadId: 'thread-with-a-long-enough-name-1' })
  const { events } = await client.say('flights')
  const shown: unknown = events.find(({ type }) => type === EventType.ACTIVITY_SNAPSHOT)
  return (shown as { content: { a2ui_operations?: unknown } }).content.a2ui_operations
}

const channels: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'server-sent events': (url) => byPage(url, 'sse'),
  WebSocket: (url) => byPage(url, 'websocket'),
  'AG-UI': byAgui,
  MCP: byMcp,
  'a webhook': byWebhook,
}

describe.each(Object.entries(forms))('document 001, "Part 3 — UI surface": %s', (_, form) => {
  test.each(Object.entries(channels))('comes by %s as single messages', async (__, read) => {
    const { url } = await start(form)
    expect(await read(url)).toEqual(messages)
  })
})

test.each(ways)('the combined object comes by A2A as single messages, whole and as a stream, %s', async (way) => {
  const { url } = await start(surface)
  const client = await stockClient(url, way)
  const [data] = (await send(client, says('flights'))).artifacts.flatMap(({ parts }) =>
    parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : [])),
  )
  const streamed: unknown[] = []
  for await (const { payload } of client.sendMessageStream(request(says('more')))) {
    if (payload?.$case !== 'artifactUpdate') continue
    for (const { content } of payload.value.artifact?.parts ?? []) {
      if (content?.$case === 'data') streamed.push(content.value)
    }
  }
  // By HTTP+JSON 0.3 data is an object; what is none stands in one.
  const list = way === 'HTTP+JSON 0.3' ? { value: messages } : messages
  expect([data, streamed]).toEqual([list, [list]])
})

test('buildEnvelope has single messages too, and leaves what is no A2UI as it is', () => {
  const parts = [
    { partType: 'a2ui-surface', data: surface },
    { partType: 'a2ui-surface', data: { hello: 1 } },
  ]
  const envelope = buildEnvelope({ sessionId: 's', eventId: 'e', originatorId: 'o', conversationState: 'error', parts })
  expect(envelope.parts.map(({ data }) => data)).toEqual([messages, { hello: 1 }])
})

/** Writes surfaces as they were written before: in the form in which the actor gave them. */
class EarlierStore extends LastingStore {
  override append(...[session, expected, events, ...more]: Parameters<MemoryStore['append']>) {
    const earlier = events.map((event) => {
      const { payload } = event as { payload?: { part?: Data } }
      if (payload?.part?.metadata?.partType !== 'a2ui-surface') return event
      return { ...(event as object), payload: { ...payload, part: { ...payload.part, data: surface } } }
    })
    return super.append(session, expected, earlier, ...more)
  }
}

test('a log with combined objects is read and shown', async () => {
  const store = new EarlierStore({ runtime })
  const port = await freePort()
  const before = await start(surface, store, port)
  const talk = await Conversation.open(before.url)
  await talk.say('flights')
  await talk.settled(1)
  const client = await stockClient(before.url)
  const task = await send(client, says('flights'))
  await byWebhook(before.url)
  await before.stop()
  const { url } = await start(surface, store, port)
  const page = talk.anew()
  await page.settled(1)
  expect(page.partOf('a2ui-surface')?.data).toEqual(surface)
  expect(page.surfaceIds).toEqual(['flight-results'])
  const again = await client.getTask({ id: task.id, tenant: '' })
  expect(JSON.stringify(again.artifacts)).toContain(JSON.stringify(messages))
  // Envelopes are built from the log, in the form of today.
  expect(await byWebhook(url)).toEqual(messages)
})
