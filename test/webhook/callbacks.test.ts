import { createHmac } from 'node:crypto'
import { simulatedRuntime, type Originator, type Principal } from '@cool-ai/beach-core'
import { callbackOriginator, standardWebhooks, webhookSchedule, type Hooks } from '@cool-ai/beach-hooks'
import { afterEach, describe, expect, test } from 'vitest'
import { callbackContext } from './callback-context.ts'
import {
  fetchTo,
  LastingStore,
  post,
  runtime,
  startAgent,
  startReceiver,
  textParts,
  texts,
  whsec,
  type Receiver,
  type WebhookAgent,
} from './webhook-context.ts'

const verify = standardWebhooks({ secrets: [whsec(1)] })
const operator: Principal = { kind: 'operator', id: 'test', tenant: 'default' }
const quick = { delaysMs: [1, 1, 1] }

function calling(url: string, secrets: readonly string[] = [whsec(5)]): Hooks {
  const session = (payload: unknown) => (payload as { thread?: string }).thread ?? 'usual'
  return { notes: { verify, parts: textParts, session, callback: { url, secrets } } }
}

async function agentFor(receiver: Receiver, more: Partial<Parameters<typeof startAgent>[0]> = {}) {
  return startAgent({ hooks: calling(receiver.url), fetch: fetchTo(receiver.origin), push: quick, ...more })
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}

async function onlySession({ beach }: WebhookAgent): Promise<string> {
  return (await beach.sessions.list({}, operator)).items[0]?.sessionId ?? ''
}

/** The deliveries that are not over, and those that were given up. */
async function open({ beach }: WebhookAgent, session: string) {
  const { inFlight, deadLetters } = await beach.sessions.view(session, operator)
  return { waiting: inFlight.filter(({ kind }) => kind === 'delivery'), deadLetters }
}

describe('a callback', () => {
  test('is an envelope, signed by each of the hook’s secrets; the request is not kept waiting', async () => {
    const receiver = await startReceiver()
    const { url } = await agentFor(receiver, { hooks: calling(receiver.url, [whsec(5), whsec(6)]) })
    const response = await post(`${url}/webhooks/notes`, { text: 'hello' })
    expect(response.status).toBe(202)
    await receiver.count(1)
    const [{ headers, body }] = receiver.received as [Receiver['received'][number]]
    expect(texts(JSON.parse(body))).toEqual(['You said: hello'])
    const expected = [5, 6].map((fill) => {
      const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
      return `v1,${createHmac('sha256', Buffer.alloc(32, fill)).update(text).digest('base64')}`
    })
    expect(headers['webhook-signature']).toBe(expected.join(' '))
    expect(Math.abs(Number(headers['webhook-timestamp']) * 1_000 - Date.now())).toBeLessThan(60_000)
    // What we send is what we would take.
    const own = standardWebhooks({ secrets: [whsec(6)] })
    const request = {
      body: Buffer.from(body),
      headers: new Headers(headers as Record<string, string>),
      now: Date.now(),
    }
    expect(await own(request)).toEqual({ id: headers['webhook-id'] })
  })

  test.each([
    ['fails', 503],
    ['redirects', 302],
    ['redirects to another place of its own', 307],
    ['refuses', 403],
  ])('that %s is tried again under the same id until it is taken, once', async (_, status) => {
    const receiver = await startReceiver()
    const elsewhere = await startReceiver()
    receiver.answer = (response) => {
      if (receiver.received.length > 2) return response.end()
      response.writeHead(status, { location: status === 307 ? '/elsewhere' : elsewhere.url }).end()
    }
    const fetch = fetchTo(receiver.origin, elsewhere.origin)
    const agent = await agentFor(receiver, { fetch })
    await post(`${agent.url}/webhooks/notes`, { text: 'hello' })
    await receiver.count(3)
    const session = await onlySession(agent)
    await until(async () => (await open(agent, session)).waiting.length === 0)
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect((await open(agent, session)).deadLetters).toEqual([])
    expect(elsewhere.received).toEqual([])
    expect(receiver.received.map(({ path }) => path)).not.toContain('/elsewhere')
  })

  test('whose receiver never answers, or never ends its answer, is given up in time', async () => {
    const receiver = await startReceiver()
    receiver.answer = (response) => {
      if (receiver.received.length === 1) return
      response.writeHead(500).write('x'.repeat(100_000))
      if (receiver.received.length > 2) response.end()
    }
    const agent = await agentFor(receiver, { push: { ...quick, timeoutMs: 300 } })
    await post(`${agent.url}/webhooks/notes`, { text: 'hello' })
    const session = await until(async () => (await agent.beach.sessions.list({}, operator)).items.length === 1).then(
      () => onlySession(agent),
    )
    await until(async () => (await open(agent, session)).deadLetters.length === 1)
    expect(receiver.received).toHaveLength(4)
  })

  test('that is only ever sent on to an address inside is not followed there, and is a dead letter', async () => {
    const receiver = await startReceiver()
    const inside = await startReceiver()
    receiver.answer = (response) => void response.writeHead(302, { location: inside.url }).end()
    const agent = await agentFor(receiver)
    await post(`${agent.url}/webhooks/notes`, { text: 'hello' })
    const session = await onlySession(agent)
    await until(async () => (await open(agent, session)).deadLetters.length === 1)
    expect(receiver.received.length).toBeGreaterThan(1)
    expect(inside.received).toEqual([])
  })

  test.each([200, 500])('whose receiver answers %s and then streams for ever is cut off', async (status) => {
    const receiver = await startReceiver()
    const cut = Promise.withResolvers<void>()
    receiver.answer = (response) => {
      response.on('close', () => cut.resolve())
      response.writeHead(status)
      const more = () => {
        while (!response.closed && response.write('x'.repeat(16_384)));
      }
      response.on('drain', more)
      more()
    }
    const agent = await agentFor(receiver)
    await post(`${agent.url}/webhooks/notes`, { text: 'hello' })
    const session = await onlySession(agent)
    await until(async () => (await open(agent, session)).waiting.length === 0)
    await cut.promise
    // What counts is how it began to answer.
    expect((await open(agent, session)).deadLetters).toHaveLength(status === 200 ? 0 : 1)
  })

  test('that gets 410 is disabled: the originator leaves, and no other conversation calls it either', async () => {
    const receiver = await startReceiver()
    receiver.answer = (response) => void response.writeHead(410).end()
    const agent = await agentFor(receiver)
    await post(`${agent.url}/webhooks/notes`, { text: 'hello' }, { id: 'm1' })
    await receiver.count(1)
    const session = await onlySession(agent)
    await until(async () => (await agent.beach.sessions.originators(session, operator)).length === 0)
    expect((await open(agent, session)).waiting).toEqual([])
    for (const [id, thread] of [
      ['m2', 'usual'],
      ['m3', 'other'],
    ] as const) {
      const response = await post(`${agent.url}/webhooks/notes`, { text: 'again', thread }, { id })
      expect(texts(await response.json())).toEqual(['You said: again'])
    }
    expect(receiver.received).toHaveLength(1)
  })

  test('is sent by the next process when the first one has ended before it got through', async () => {
    const receiver = await startReceiver()
    receiver.answer = (response) => void response.writeHead(503).end()
    const store = new LastingStore({ runtime })
    const first = await agentFor(receiver, { store, push: { delaysMs: [10, 10, 10, 10, 10, 10] } })
    await post(`${first.url}/webhooks/notes`, { text: 'hello' })
    await receiver.count(1)
    await first.stop()
    receiver.answer = (response) => void response.end()
    const before = receiver.received.length
    await agentFor(receiver, { store })
    await receiver.count(before + 1)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test('may be where the payload says', async () => {
    const receiver = await startReceiver()
    const hook = calling('').notes
    const hooks: Hooks = {
      notes: {
        ...hook,
        verify,
        parts: textParts,
        callback: { url: (payload) => (payload as { callback?: string }).callback, secrets: [whsec(5)] },
      },
    }
    const { url } = await agentFor(receiver, { hooks })
    expect((await post(`${url}/webhooks/notes`, { text: 'a', callback: receiver.url }, { id: 'm1' })).status).toBe(202)
    await receiver.count(1)
    expect((await post(`${url}/webhooks/notes`, { text: 'b' }, { id: 'm2' })).status).toBe(200)
    for (const [id, callback] of [
      ['m3', 'file:///etc/passwd'],
      ['m4', 'nowhere'],
    ] as const) {
      expect((await post(`${url}/webhooks/notes`, { text: 'c', callback }, { id })).status).toBe(400)
    }
  })
})

describe('addresses inside', () => {
  const addresses = [
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://0.0.0.0:PORT/',
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://172.16.0.1/',
    'http://127.1:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'https://[fe80::1]/',
    'https://[64:ff9b::a00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fd00::1]/',
    'https://100.64.0.1/',
  ]

  test.each(addresses)('%s is refused, and no request is made', async (address) => {
    const receiver = await startReceiver()
    const url = address.replace('PORT', new URL(receiver.url).port)
    const agent = await startAgent({ hooks: calling(url), push: quick })
    await post(`${agent.url}/webhooks/notes`, { text: 'hello' })
    const session = await onlySession(agent)
    await until(async () => (await open(agent, session)).deadLetters.length === 1)
    expect((await open(agent, session)).deadLetters[0]?.attempts).toBe(1)
    expect(receiver.received).toEqual([])
  })
})

test('an originator that joins by a hook’s callback gets what is said in the session', async () => {
  const receiver = await startReceiver()
  const hooks: Hooks = { out: { callback: { url: receiver.url, secrets: [whsec(5)] } } }
  const agent = await agentFor(receiver, { hooks })
  const principal: Principal = { kind: 'user', id: 'anna', tenant: 'default' }
  const session = await agent.beach.sessions.open({ principal })
  const to = callbackOriginator({ hook: 'out', url: receiver.url, principal })
  await agent.beach.sessions.join(session, to, principal)
  const from: Originator = { id: 'sse:anna', transport: 'sse', deliveryClass: 'streaming', principal }
  const parts = [{ text: 'hello', metadata: { partType: 'message' } }]
  await agent.beach.sessions.post(session, { parts, from }, principal)
  await receiver.count(1)
  expect(texts(JSON.parse(receiver.received[0]?.body ?? ''))).toEqual(['You said: hello'])
  // It takes nothing in.
  expect((await post(`${agent.url}/webhooks/out`, { text: 'x' })).status).toBe(404)
})

describe('on a simulated clock', () => {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  test('attempts keep the published schedule, and then it is a dead letter', async () => {
    const simulated = simulatedRuntime()
    const { attempts, ids, deadLetters, close } = await callbackContext(simulated)
    closing.push(close)
    const begin = simulated.clock.now()
    for (const delay of webhookSchedule) await simulated.clock.advance(delay + 1)
    const hour = 3_600_000
    const minute = 60_000
    const expected = [0, 5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
    let at = begin
    expect(attempts).toHaveLength(expected.length)
    for (const [index, wait] of expected.entries()) {
      at += wait
      expect((attempts[index] ?? 0) - at).toBeLessThan(1_000)
      expect((attempts[index] ?? 0) - at).toBeGreaterThanOrEqual(0)
    }
    expect(await deadLetters()).toBe(1)
    // By it the receiver recognises a repetition, however much later it comes.
    expect(ids[0]).toMatch(/^[\w-]{43}$/)
    expect(new Set(ids).size).toBe(1)
  })
})
