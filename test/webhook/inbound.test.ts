import { createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import {
  isBeachError,
  PartTypeRegistry,
  type Envelope,
  type Originator,
  type Principal,
  type Slice,
} from '@cool-ai/beach-core'
import { github, standardWebhooks, stripe, webhookChannel, type Hooks, type Verify } from '@cool-ai/beach-hooks'
import { describe, expect, test } from 'vitest'
import {
  LastingStore,
  post,
  runtime,
  secret,
  standardHeaders,
  startAgent,
  textParts,
  texts,
  whsec,
} from './webhook-context.ts'

const operator: Principal = { kind: 'operator', id: 'test', tenant: 'default' }
const standard: Hooks = { notes: { verify: standardWebhooks({ secrets: [whsec(1)] }), parts: textParts } }
const minute = 60_000

/** The sessions that there are, and what was said in each. */
async function said({ beach }: Awaited<ReturnType<typeof startAgent>>): Promise<string[][]> {
  const to: Originator = { id: 'test', transport: 'sse', deliveryClass: 'streaming', principal: operator }
  const { items } = await beach.sessions.list({}, operator)
  return Promise.all(
    items.map(async ({ sessionId }) => {
      const all: string[] = []
      for await (const frame of beach.sessions.history(sessionId, to)) {
        if (frame.kind === 'part' && frame.role === 'user') all.push(frame.part.text ?? '')
      }
      return all
    }),
  )
}

describe('the reply', () => {
  test('is the final envelope', async () => {
    const { url } = await startAgent({ hooks: standard })
    const response = await post(`${url}/webhooks/notes`, { text: 'hello' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('application/json')
    const envelope = (await response.json()) as Envelope
    expect(envelope).toMatchObject({ role: 'agent', meta: { turnState: 'complete', finalizedBy: 'complete' } })
    expect(texts(envelope)).toEqual(['You said: hello'])
  })

  test('has nothing that the delivery rules keep back', async () => {
    const { url } = await startAgent({
      hooks: standard,
      actor: async ({ respond }) => {
        await respond({ parts: [{ partType: 'ack', text: 'one moment' }], turnState: 'awaiting' })
        await respond({
          parts: [
            { partType: 'reasoning-trace', text: 'secret thoughts' },
            { partType: 'domain-data', data: { price: 5 } },
            { partType: 'response', text: 'done' },
          ],
          turnState: 'complete',
        })
      },
    })
    const envelope = (await (await post(`${url}/webhooks/notes`, { text: 'hello' })).json()) as Envelope
    expect(envelope.parts.map(({ metadata }) => metadata.partType).toSorted()).toEqual(['domain-data', 'response'])
  })

  test('is empty for a payload that is of no interest', async () => {
    const hooks = { notes: { ...standard.notes, verify: standardWebhooks({ secrets: [whsec(1)] }), parts: () => [] } }
    const agent = await startAgent({ hooks })
    expect((await post(`${agent.url}/webhooks/notes`, { ping: true })).status).toBe(204)
    expect(await said(agent)).toEqual([])
  })
})

test('parts of the namespace of a slice go to that slice, once for each delivery', async () => {
  const noted: unknown[] = []
  const slice: Slice<object> = {
    ns: 'notes',
    version: 1,
    initial: {},
    fold: (state) => state,
    handle: (_, value) => {
      noted.push(value)
      return {
        drafts: [{ type: 'sliceEvent', ns: 'notes', name: 'noted', payload: { value } }],
        reply: { answer: 'noted' },
      }
    },
  }
  const partTypes = PartTypeRegistry.canonical()
  partTypes.register({ partType: 'notes.add', deliveryRules: { streaming: 'once', buffered: 'drop' } })
  const parts = (payload: unknown) => [{ partType: 'notes.add', data: payload }]
  const hooks = { notes: { verify: standardWebhooks({ secrets: [whsec(1)] }), parts } }
  const agent = await startAgent({ hooks, partTypes, beach: { slices: [slice] } })
  const send = () => post(`${agent.url}/webhooks/notes`, { note: 'milk' }, { id: 'm1' })
  const first = await send()
  expect(first.status).toBe(202)
  expect(await first.json()).toMatchObject({ heard: 'noted', seq: expect.any(Number) })
  expect(await (await send()).json()).toEqual({ status: 'duplicate' })
  expect(noted).toEqual([{ events: [{ type: 'CUSTOM', name: 'notes.add', value: { note: 'milk' } }] }])
  expect(await said(agent)).toEqual([[]])
})

describe('conversations', () => {
  const threads: Hooks = {
    notes: {
      verify: standardWebhooks({ secrets: [whsec(1)] }),
      parts: textParts,
      session: (payload) => (payload as { thread?: string }).thread,
    },
    others: {
      verify: standardWebhooks({ secrets: [whsec(1)] }),
      parts: textParts,
      session: (payload) => (payload as { thread?: string }).thread,
    },
  }

  test('are those of the key that the payload has, within its hook', async () => {
    const agent = await startAgent({ hooks: threads })
    await post(`${agent.url}/webhooks/notes`, { text: 'one', thread: 'a' }, { id: 'm1' })
    await post(`${agent.url}/webhooks/notes`, { text: 'two', thread: 'a' }, { id: 'm2' })
    await post(`${agent.url}/webhooks/notes`, { text: 'three', thread: 'b' }, { id: 'm3' })
    await post(`${agent.url}/webhooks/others`, { text: 'four', thread: 'a' }, { id: 'm4' })
    await post(`${agent.url}/webhooks/notes`, { text: 'five' }, { id: 'm5' })
    expect((await said(agent)).map((all) => all.join()).toSorted()).toEqual(['five', 'four', 'one,two', 'three'])
  })

  test('belong to whom the hook speaks for', async () => {
    const hooks: Hooks = {
      notes: {
        ...threads.notes,
        verify: standardWebhooks({ secrets: [whsec(1)] }),
        parts: textParts,
        principal: (payload) => {
          const { user } = payload as { user?: string }
          return user === undefined ? undefined : { kind: 'user', id: user }
        },
      },
    }
    const { url, beach } = await startAgent({ hooks })
    await post(`${url}/webhooks/notes`, { text: 'one', thread: 'a', user: 'anna' }, { id: 'm1' })
    await post(`${url}/webhooks/notes`, { text: 'two', thread: 'a', user: 'bert' }, { id: 'm2' })
    expect((await post(`${url}/webhooks/notes`, { text: 'x', thread: 'a' }, { id: 'm3' })).status).toBe(403)
    for (const id of ['anna', 'bert']) {
      expect((await beach.sessions.list({}, { kind: 'user', id, tenant: 'default' })).items).toHaveLength(1)
    }
  })
})

describe('signatures of Standard Webhooks', () => {
  const body = JSON.stringify({ text: 'hello' })
  const cases: [string, Record<string, string>][] = [
    ['no signature', { 'content-type': 'application/json' }],
    ['another secret', standardHeaders(body, { secrets: [whsec(2)] })],
    ['a time six minutes ago', standardHeaders(body, { at: Date.now() - 6 * minute })],
    ['a time in six minutes', standardHeaders(body, { at: Date.now() + 6 * minute })],
    ['another id', { ...standardHeaders(body), 'webhook-id': 'msg_2' }],
    ['another time', { ...standardHeaders(body), 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) + 7) }],
    ['another body', standardHeaders(`${body} `)],
    ['no id', { ...standardHeaders(body, { id: '' }) }],
    ['a time that is no number', { ...standardHeaders(body), 'webhook-timestamp': 'now' }],
    ['a version that is not known', { ...standardHeaders(body), 'webhook-signature': 'v9,AAAA' }],
    ['half a signature', { ...standardHeaders(body), 'webhook-signature': 'v1,AAAA' }],
  ]

  test.each(cases)('%s is refused, and nothing comes of it', async (_, headers) => {
    const agent = await startAgent({ hooks: standard })
    const response = await fetch(`${agent.url}/webhooks/notes`, { method: 'POST', headers, body })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } })
    expect(await said(agent)).toEqual([])
  })

  test('within four minutes are taken', async () => {
    const { url } = await startAgent({ hooks: standard })
    for (const [id, offset] of [
      ['m1', -4 * minute],
      ['m2', 4 * minute],
    ] as const) {
      expect((await post(`${url}/webhooks/notes`, { text: 'hello' }, { id, at: Date.now() + offset })).status).toBe(200)
    }
  })

  test('by the old or the new secret count while both are given, and by the old one no longer afterwards', async () => {
    const rotating: Hooks = {
      notes: { verify: standardWebhooks({ secrets: [whsec(1), whsec(2)] }), parts: textParts },
      after: { verify: standardWebhooks({ secrets: [whsec(2)] }), parts: textParts },
    }
    const { url } = await startAgent({ hooks: rotating })
    const statuses = async (hook: string, name: string, secrets: string[]) =>
      (await post(`${url}/webhooks/${hook}`, { text: 'hello' }, { id: name, secrets })).status
    expect(await statuses('notes', 'm1', [whsec(1)])).toBe(200)
    expect(await statuses('notes', 'm2', [whsec(2)])).toBe(200)
    expect(await statuses('after', 'm3', [whsec(1), whsec(2)])).toBe(200)
    expect(await statuses('after', 'm4', [whsec(1)])).toBe(401)
  })

  test('need a secret of enough bytes', () => {
    for (const secrets of [[], [''], ['whsec_c2hvcnQ='], ['whsec_not base64 at all, but long enough']]) {
      expect(() => standardWebhooks({ secrets })).toThrow(/secret/)
    }
    expect(() =>
      webhookChannel({
        hooks: { a: { callback: { url: 'https://x.example', secrets: [] } } },
        store: new LastingStore({ runtime }),
        secret,
      }),
    ).toThrow(/needs a secret/)
  })
})

describe('signatures of GitHub', () => {
  const hooks: Hooks = { repo: { verify: github({ secrets: ['old secret', 'new secret'] }), parts: textParts } }
  const send = (
    url: string,
    body: string,
    { key = 'new secret', guid = 'guid-1', ...more }: Record<string, string> = {},
  ) =>
    fetch(`${url}/webhooks/repo`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-delivery': guid,
        'x-github-event': 'issues',
        'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
        ...more,
      },
      body,
    })

  test('are over the raw bytes, by any of the secrets', async () => {
    const { url } = await startAgent({ hooks })
    expect((await send(url, '{ "text":  "hello" }')).status).toBe(200)
    expect((await send(url, '{"text":"hi"}', { key: 'old secret', guid: 'guid-2' })).status).toBe(200)
    expect((await send(url, '{"text":"no"}', { key: 'other secret', guid: 'guid-3' })).status).toBe(401)
    const signed = `sha256=${createHmac('sha256', 'new secret').update('{"text":"x"}').digest('hex')}`
    expect((await send(url, '{ "text": "x" }', { 'x-hub-signature-256': signed })).status).toBe(401)
    expect((await send(url, '{"text":"x"}', { 'x-hub-signature-256': signed.toUpperCase() })).status).toBe(401)
    expect((await send(url, '{"text":"x"}', { 'x-hub-signature-256': '', 'x-hub-signature': 'sha1=abc' })).status).toBe(
      401,
    )
  })

  test('count once, with another delivery id too, since that is not signed', async () => {
    const agent = await startAgent({ hooks })
    for (const guid of ['guid-1', 'guid-1', 'guid-2']) {
      expect(texts(await (await send(agent.url, '{"text":"hello"}', { guid })).json())).toEqual(['You said: hello'])
    }
    expect(await said(agent)).toEqual([['hello']])
  })
})

describe('signatures of Stripe', () => {
  const hooks: Hooks = {
    money: { verify: stripe({ secrets: ['whsec_stripe_one', 'whsec_stripe_two'] }), parts: textParts },
  }
  const header = (body: string, { key = 'whsec_stripe_one', at = Date.now() } = {}) => {
    const t = Math.floor(at / 1_000)
    return `t=${t},v1=${createHmac('sha256', key).update(`${t}.${body}`).digest('hex')},v0=abc`
  }
  const send = (url: string, body: string, signature: string) =>
    fetch(`${url}/webhooks/money`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body,
    })
  const event = (id: string) => JSON.stringify({ id, text: `event ${id}` })

  test('are checked with their time, by any of the secrets', async () => {
    const { url } = await startAgent({ hooks })
    expect((await send(url, event('evt_1'), header(event('evt_1')))).status).toBe(200)
    expect((await send(url, event('evt_2'), header(event('evt_2'), { key: 'whsec_stripe_two' }))).status).toBe(200)
    expect((await send(url, event('evt_3'), header(event('evt_3'), { key: 'whsec_stripe_three' }))).status).toBe(401)
    expect((await send(url, event('evt_3'), header(event('evt_3'), { at: Date.now() - 6 * minute }))).status).toBe(401)
    expect((await send(url, event('evt_3'), header(event('evt_3'), { at: Date.now() + 6 * minute }))).status).toBe(401)
    expect((await send(url, event('evt_3'), header(event('evt_4')))).status).toBe(401)
    expect((await send(url, event('evt_3'), '')).status).toBe(401)
    expect((await send(url, event('evt_3'), `t=1,${header(event('evt_3'))}`)).status).toBe(401)
  })

  test('count once for an event, whenever it is sent again', async () => {
    const agent = await startAgent({ hooks })
    await send(agent.url, event('evt_1'), header(event('evt_1'), { at: Date.now() - minute }))
    await send(agent.url, event('evt_1'), header(event('evt_1')))
    expect(await said(agent)).toEqual([['event evt_1']])
  })
})

test('a check of one’s own decides, on the bytes as they came', async () => {
  const seen: string[] = []
  const verify: Verify = async ({ body, headers }) => {
    seen.push(Buffer.from(body).toString())
    return headers.get('x-key') === 'open' ? { id: headers.get('x-id') ?? '' } : undefined
  }
  const agent = await startAgent({ hooks: { own: { verify, parts: textParts } } })
  const send = (headers: Record<string, string>) =>
    fetch(`${agent.url}/webhooks/own`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.own+json', ...headers },
      body: '{"text" : "hé"}',
    })
  expect((await send({ 'x-key': 'shut' })).status).toBe(401)
  expect((await send({ 'x-key': 'open', 'x-id': '1' })).status).toBe(200)
  expect(seen).toEqual(['{"text" : "hé"}', '{"text" : "hé"}'])
})

describe('a delivery that comes again', () => {
  test('is answered as before and changes nothing, also while the first one runs', async () => {
    const agent = await startAgent({ hooks: standard })
    const send = () => post(`${agent.url}/webhooks/notes`, { text: 'hello' }, { id: 'same' })
    const answers = await Promise.all([send(), send(), send()])
    answers.push(await send())
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(texts(await answer.json())).toEqual(['You said: hello'])
    }
    expect(await said(agent)).toEqual([['hello']])
  })

  test('is recognised after a restart, and by a signature that is newer', async () => {
    const store = new LastingStore({ runtime })
    const first = await startAgent({ hooks: standard, store })
    await post(`${first.url}/webhooks/notes`, { text: 'hello' }, { id: 'same', at: Date.now() - minute })
    await first.stop()
    const second = await startAgent({ hooks: standard, store })
    const again = await post(`${second.url}/webhooks/notes`, { text: 'hello' }, { id: 'same' })
    expect(texts(await again.json())).toEqual(['You said: hello'])
    expect(await said(second)).toEqual([['hello']])
  })

  test('is taken when the process died after it was noted in the log and before anything else', async () => {
    const store = new LastingStore({ runtime })
    const bind = store.bind.bind(store)
    store.bind = async (key, value) => {
      if (key.startsWith('webhook:')) throw new Error('killed')
      return bind(key, value)
    }
    const first = await startAgent({ hooks: standard, store })
    expect((await post(`${first.url}/webhooks/notes`, { text: 'hello' }, { id: 'same' })).status).toBe(500)
    await first.stop()
    store.bind = bind
    const second = await startAgent({ hooks: standard, store })
    const again = await post(`${second.url}/webhooks/notes`, { text: 'hello' }, { id: 'same' })
    expect(texts(await again.json())).toEqual(['You said: hello'])
    expect(await said(second)).toEqual([['hello']])
  })
})

describe('hostile payloads', () => {
  const small: Hooks = { notes: { verify: standardWebhooks({ secrets: [whsec(1)] }), parts: textParts, bytes: 1_000 } }

  test('that say that they are 100 MB are refused before any of it has come, signed or not', async () => {
    const { url } = await startAgent({ hooks: standard })
    const { port } = new URL(url)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': 100 * 1024 * 1024 }
      const sent = httpRequest({ port, method: 'POST', path: '/webhooks/notes', headers })
      sent.on('response', (response) => {
        resolve(response.statusCode)
        sent.destroy()
      })
      sent.on('error', reject)
      sent.flushHeaders()
    })
    expect(status).toBe(413)
  })

  test('that are too large are refused before they are read', async () => {
    const { url } = await startAgent({ hooks: small })
    const response = await post(`${url}/webhooks/notes`, { text: 'x'.repeat(2_000) })
    expect(response.status).toBe(413)
  })

  test('that never end are cut off', async () => {
    const { url } = await startAgent({ hooks: small })
    const { port } = new URL(url)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest({
        port,
        method: 'POST',
        path: '/webhooks/notes',
        headers: { 'content-type': 'application/json' },
      })
      sent.on('response', (response) => {
        resolve(response.statusCode)
        sent.destroy()
      })
      sent.on('error', reject)
      sent.write('{"text":"')
      for (let piece = 0; piece < 40; piece++) sent.write('x'.repeat(100))
    })
    expect(status).toBe(413)
  })

  test('that are compressed are not unpacked', async () => {
    const agent = await startAgent({ hooks: standard })
    const bomb = gzipSync(JSON.stringify({ text: 'x'.repeat(20_000_000) }))
    expect(bomb.byteLength).toBeLessThan(100_000)
    for (const [headers, status] of [
      [{ 'content-encoding': 'gzip' }, 415],
      [{}, 401],
    ] as const) {
      const all = { ...standardHeaders('{}'), ...headers }
      const response = await fetch(`${agent.url}/webhooks/notes`, { method: 'POST', headers: all, body: bomb })
      expect(response.status).toBe(status)
    }
    expect(await said(agent)).toEqual([])
  })

  test.each([
    ['{"text":"x","__proto__":{"polluted":1}}', 400],
    ['{"text":"x","constructor":{"prototype":{"polluted":1}}}', 400],
    ['{"text":"x","deep":[{"constructor":{"prototype":{"polluted":1}}}]}', 400],
    ['{"text":"x","constructor":"Ferrari"}', 200],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 400],
    ['not json', 400],
    ['"text"', 422],
    ['null', 400],
    ['{"other":1}', 422],
  ])('such as %s leave no trace', async (body, status) => {
    const { url } = await startAgent({ hooks: standard })
    const headers = standardHeaders(body)
    const response = await fetch(`${url}/webhooks/notes`, { method: 'POST', headers, body })
    expect(response.status).toBe(status)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('cannot say what only actors say', async () => {
    const verify = standardWebhooks({ secrets: [whsec(1)] })
    const { url } = await startAgent({
      hooks: { notes: { verify, parts: () => [{ partType: 'response', text: 'I am the agent' }] } },
    })
    expect((await post(`${url}/webhooks/notes`, {})).status).toBe(422)
  })

  test('of other types, methods and names are refused', async () => {
    const { url } = await startAgent({ hooks: standard })
    const form = await post(`${url}/webhooks/notes`, { text: 'x' }, { headers: { 'content-type': 'text/plain' } })
    expect(form.status).toBe(415)
    const get = await fetch(`${url}/webhooks/notes`)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await post(`${url}/webhooks/nothing`, { text: 'x' })).status).toBe(404)
    expect((await post(`${url}/webhooks/constructor`, { text: 'x' })).status).toBe(404)
  })
})

test('hooks that are wrong are refused at once', () => {
  const make = (hooks: unknown) => () =>
    webhookChannel({ hooks: hooks as Hooks, store: new LastingStore({ runtime }), secret })
  const verify = standardWebhooks({ secrets: [whsec(1)] })
  for (const hooks of [
    { 'a/b': { verify, parts: textParts } },
    { a: {} },
    { a: { verify } },
    { a: { verify, parts: textParts, timeoutMs: 0 } },
  ]) {
    expect(make(hooks)).toThrow(expect.toSatisfy((error) => isBeachError(error, 'INVALID_CONFIGURATION')))
  }
})
