import { EventType, type BaseEvent } from '@ag-ui/core'
import { PartTypeRegistry } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { clients, runtime, startAgent, StockAgent } from '../agui/agent.ts'
import { counterSlice, registerCounter } from './counter.ts'

const uuid = () => crypto.randomUUID()
const add = (by: number) => ({ type: 'CUSTOM', name: 'counter.add', value: { id: uuid(), by } })

function partTypes(): PartTypeRegistry {
  const registry = PartTypeRegistry.canonical()
  registerCounter(registry)
  return registry
}

function start(gate?: Promise<void>, store = new MemoryStore({ runtime })) {
  return startAgent({ slices: [counterSlice(gate)], partTypes: partTypes(), data: { store } })
}

const kinds = (events: readonly BaseEvent[]) => events.map(({ type }) => type)

interface Custom extends BaseEvent {
  readonly name: string
  readonly value: unknown
}

const customs = (events: readonly BaseEvent[], name: string) =>
  events
    .filter((event): event is Custom => event.type === EventType.CUSTOM && (event as Custom).name === name)
    .map(({ value }) => value)

async function post(url: string, path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe.each(clients)('what a run of a stock client (%s) says to a slice', (client) => {
  test('is done without a turn, and shown step by step from the state before', async () => {
    const { url } = await start()
    const agent = new StockAgent({ url, client, threadId: uuid() })
    await agent.run({ forwardedProps: { counter: { events: [add(1)] } } })
    const { events, rejected } = await agent.run({ forwardedProps: { counter: { events: [add(2), add(4)] } } })
    expect(rejected).toBeUndefined()
    expect(kinds(events)).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'CUSTOM',
      'STATE_DELTA',
      'CUSTOM',
      'STATE_DELTA',
      'RUN_FINISHED',
    ])
    expect(customs(events, 'counter.counted')).toEqual([{ count: 3 }, { count: 7 }])
    expect(agent.agent.state).toEqual({ coordinates: {}, counter: 7 })
    expect(events.at(-1)).toMatchObject({ result: { counter: { count: 7 } }, outcome: { type: 'success' } })
    expect(agent.texts()).toEqual([])
  })

  test('is waited for when it takes work', async () => {
    const gate = Promise.withResolvers<void>()
    const { url } = await start(gate.promise)
    const agent = new StockAgent({ url, client, threadId: uuid() })
    const running = agent.run({ forwardedProps: { counter: { slowly: { id: 'a', by: 5 } } } })
    gate.resolve()
    const { events } = await running
    expect(customs(events, 'counter.counted')).toEqual([{ count: 5 }])
    expect(agent.agent.state).toMatchObject({ counter: 5 })
  })

  test('may be refused, which only that run is told', async () => {
    const { url } = await start()
    const agent = new StockAgent({ url, client, threadId: uuid() })
    const { events } = await agent.run({ forwardedProps: { counter: { events: [add(-1), add(3)] } } })
    expect(customs(events, 'counter.refused')).toMatchObject([{ by: -1 }])
    const next = await agent.run({})
    expect(customs(next.events, 'counter.refused')).toEqual([])
  })

  test('is answered together with what is said to the agent', async () => {
    const { url } = await start()
    const agent = new StockAgent({ url, client, threadId: uuid() })
    await agent.say('one')
    const { events } = await agent.say('hello', { forwardedProps: { counter: { events: [add(2)] } } })
    expect(agent.texts().at(-1)).toBe('You said hello')
    expect(customs(events, 'counter.counted')).toEqual([{ count: 2 }])
    expect(agent.agent.state).toMatchObject({ counter: 2 })
    expect(events.at(-1)).toMatchObject({ result: { counter: { count: 2 } } })
  })

  test('may be an answer to what the slice has asked', async () => {
    const { url } = await start()
    const agent = new StockAgent({ url, client, threadId: uuid() })
    const { interrupts } = await agent.run({ forwardedProps: { counter: { ask: true } } })
    expect(interrupts).toMatchObject([{ reason: 'counter:how-many' }])
    const { events } = await agent.resume(8)
    expect(events.at(-1)).toMatchObject({ result: { counter: { by: 8 } }, outcome: { type: 'success' } })
    expect(agent.agent.state).toMatchObject({ counter: 8 })
  })

  test('what happens between runs is shown by the next one', async () => {
    const { url } = await start()
    const threadId = uuid()
    const agent = new StockAgent({ url, client, threadId })
    await agent.run({ forwardedProps: { counter: { events: [add(1)] } } })
    const { status, body } = await post(url, '/counter/events', { threadId, events: [add(2)] })
    expect([status, body]).toEqual([202, { count: 3, runOpen: false }])
    const { events } = await agent.run({ forwardedProps: { counter: { events: [] } } })
    expect(customs(events, 'counter.counted')).toEqual([{ count: 3 }])
    expect(agent.agent.state).toMatchObject({ counter: 3 })
  })

  test('garbage is refused', async () => {
    const { url } = await start()
    const agent = new StockAgent({ url, client, threadId: uuid() })
    const { rejected } = await agent.run({ forwardedProps: { counter: 'many' } })
    expect(rejected?.message).toContain('nothing that can be counted')
  })
})

test('a subscriber is told at once, for as long as it listens', async () => {
  const { url } = await start()
  const threadId = uuid()
  const agent = new StockAgent({ url, threadId })
  const seen: unknown[] = []
  const three = Promise.withResolvers<void>()
  const running = agent.run(
    { forwardedProps: { counter: { subscribe: true } } },
    {
      onCustomEvent: ({ event }) => {
        seen.push(event.value)
        if (seen.length === 3) three.resolve()
      },
      onStateSnapshotEvent: async () => {
        for (const by of [1, 1, 1]) {
          const { body } = await post(url, '/counter/events', { threadId, events: [add(by)] })
          expect(body.runOpen).toBe(true)
        }
      },
    },
  )
  await three.promise
  agent.agent.abortRun()
  await running
  expect(seen).toEqual([{ count: 1 }, { count: 2 }, { count: 3 }])
})

test('guests of one network begin only so many threads, by runs and outside of them', async () => {
  const { url } = await startAgent({
    slices: [counterSlice()],
    partTypes: partTypes(),
    access: { limits: { guestSessionsPerMinute: 3 } },
  })
  const threads = Array.from({ length: 4 }, uuid)
  const say = (threadId: string) => post(url, '/counter/events', { threadId, events: [add(1)] })
  for (const threadId of threads.slice(0, 3)) expect((await say(threadId)).status).toBe(202)
  expect((await say(threads[3] ?? '')).status).toBe(429)
  const { rejected } = await new StockAgent({ url, threadId: uuid() }).say('hello')
  expect(rejected?.message).toContain('429')
  // Those that are there go on.
  expect((await say(threads[0] ?? '')).status).toBe(202)
})

test('a guest’s token does not let one begin more than others of the network', async () => {
  const { url } = await startAgent({
    slices: [counterSlice()],
    partTypes: partTypes(),
    access: { limits: { guestSessionsPerMinute: 2 } },
  })
  const { token } = (await post(url, '/sessions', {})).body as { token: string }
  const say = (threadId: string) =>
    post(url, '/counter/events', { threadId, events: [add(1)] }, { authorization: `Bearer ${token}` })
  for (const threadId of ['mine', 'mine']) expect((await say(threadId)).status).toBe(202)
  expect((await say('another')).status).toBe(429)
})

describe('outside of runs', () => {
  test('a refusal has the status that the slice gives it', async () => {
    const { url } = await start()
    const { status } = await post(url, '/counter/events', { threadId: uuid(), events: [add(-1)] })
    expect(status).toBe(409)
  })

  test.each([
    [{}, /takes a `threadId`/],
    [{ threadId: '' }, /length of threadId/],
    [{ threadId: uuid(), events: 7 }, /nothing that can be counted/],
  ])('%o is no request', async (body, message) => {
    const { url } = await start()
    const answer = await post(url, '/counter/events', body)
    expect(answer.status).toBe(400)
    expect((answer.body.error as { message: string }).message).toMatch(message)
  })

  test('another caller does not get into the thread', async () => {
    const { url } = await start()
    const threadId = uuid()
    await post(url, '/counter/events', { threadId, events: [add(1)] })
    const { token } = (await post(url, '/sessions', {})).body as { token: string }
    const other = await post(
      url,
      '/counter/events',
      { threadId, events: [add(1)] },
      { authorization: `Bearer ${token}` },
    )
    expect(other.body.count).toBe(1)
  })

  test('an instance can be looked at, with an ETag', async () => {
    const { url } = await start()
    const threadId = uuid()
    await post(url, '/counter/events', { threadId, events: [add(4)] })
    const at = `${url}/counter/instances/x?threadId=${threadId}`
    const first = await fetch(at)
    expect([first.status, first.headers.get('etag'), await first.json()]).toEqual([200, '"4"', { seq: 4 }])
    expect((await fetch(at, { headers: { 'if-none-match': '"4"' } })).status).toBe(304)
  })

  test('the parts of a message that are for a slice are said to it', async () => {
    const { url } = await start()
    const { sessionId, token } = (await post(url, '/sessions', {})).body as { sessionId: string; token: string }
    const parts = [{ data: { id: 'a', by: 2 }, metadata: { partType: 'counter.add' } }]
    const headers = { authorization: `Bearer ${token}` }
    const said = await post(url, `/sessions/${sessionId}/messages`, { parts }, headers)
    expect(said).toMatchObject({ status: 202, body: { heard: { count: 2 } } })
    const mixed = await post(url, `/sessions/${sessionId}/messages`, { parts: [...parts, { text: 'hello' }] }, headers)
    expect(mixed.status).toBe(400)
  })
})

/** A socket to the counter, with what it is told. */
async function connect(url: string, hello: object | undefined) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/counter/ws`, ['counter.v1'])
  onTestFinished(() => socket.terminate())
  const reported: Custom[] = []
  let look = () => {}
  socket.on('message', (data: Buffer) => {
    reported.push(JSON.parse(data.toString()) as Custom)
    look()
  })
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  if (hello !== undefined) socket.send(JSON.stringify(hello))
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (condition()) resolve()
      }
      look()
    })
  return { socket, reported, closed, until, send: (message: unknown) => socket.send(JSON.stringify(message)) }
}

describe('a WebSocket to a slice', () => {
  test('carries the events of AG-UI, and what is said on the way back', async () => {
    const { url } = await start()
    const threadId = uuid()
    const { reported, send, until } = await connect(url, { type: 'hello', threadId })
    await until(() => reported.some(({ type }) => type === EventType.STATE_SNAPSHOT))
    expect(reported[0]).toMatchObject({ type: 'RUN_STARTED', threadId })
    send(add(2))
    send({ type: 'said', id: 'x', said: { events: [add(3)] } })
    send({ type: 'ping' })
    await post(url, '/counter/events', { threadId, events: [add(4)] })
    await until(() => customs(reported, 'counter.counted').length === 3)
    const counted = customs(reported, 'counter.counted') as { count: number }[]
    expect(counted.at(-1)).toEqual({ count: 9 })
    await until(() => customs(reported, 'counter.results').length === 3)
    expect(reported.find((frame) => (frame as { id?: string }).id === 'x')).toMatchObject({ name: 'counter.results' })
    expect(reported.some(({ type }) => (type as string) === 'pong')).toBe(true)
  })

  test('is closed with a reason when nothing can be made of what comes', async () => {
    const { url } = await start()
    const nobody = await connect(url, { type: 'hello', threadId: 'short' })
    expect(await nobody.closed).toBe(4401)
    const unknown = await connect(url, { type: 'hello', threadId: uuid(), token: 'x' })
    expect(await unknown.closed).toBe(4401)
    const rude = await connect(url, { type: 'CUSTOM' })
    expect(await rude.closed).toBe(4401)
    const odd = await connect(url, { type: 'hello', threadId: uuid() })
    odd.send({ type: 'song' })
    expect(await odd.closed).toBe(4400)
    const large = await connect(url, { type: 'hello', threadId: 'x'.repeat(20_000) })
    expect(await large.closed).toBe(1009)
  })

  test('ends when the credential that it came with counts no more', async () => {
    const valid = new Set(['first', 'second'])
    const { url } = await startAgent({
      slices: [counterSlice()],
      partTypes: partTypes(),
      protocols: { heartbeatMs: 100 },
      access: {
        authenticators: [
          async (request) => {
            const token = request.headers.get('authorization')?.slice('Bearer '.length)
            if (token === undefined || !valid.has(token)) return undefined
            return { principal: { kind: 'user', id: token, tenant: 'default' }, credential: { type: 'test' } }
          },
        ],
      },
    })
    const [first, second] = await Promise.all(
      [...valid].map((token) => connect(url, { type: 'hello', threadId: uuid(), token })),
    )
    await first?.until(() => first.reported.some(({ type }) => type === EventType.STATE_SNAPSHOT))
    valid.delete('first')
    expect(await first?.closed).toBe(4401)
    // The other one has been looked at as often, and is still there.
    second?.send(add(1))
    await second?.until(() => customs(second.reported, 'counter.counted').length === 1)
  })

  test('what a slice refuses is told, and the connection stays', async () => {
    const { url } = await start()
    const { reported, send, until } = await connect(url, { type: 'hello', threadId: uuid() })
    await until(() => reported.some(({ type }) => type === EventType.STATE_SNAPSHOT))
    send({ type: 'CUSTOM', name: 'counter.nonsense', value: {} })
    await until(() => customs(reported, 'counter.results').length === 2)
    expect(customs(reported, 'counter.results')[1]).toMatchObject({ error: { code: 'BAD_REQUEST' } })
    send(add(1))
    await until(() => customs(reported, 'counter.counted').length === 1)
  })

  test('ends when the agent goes away', async () => {
    const { url, stop } = await start()
    const { reported, until, closed } = await connect(url, { type: 'hello', threadId: uuid() })
    await until(() => reported.some(({ type }) => type === EventType.STATE_SNAPSHOT))
    await stop()
    expect(await closed).toBe(1001)
  })
})
