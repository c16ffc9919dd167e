import { connect } from 'node:net'
import { createBeach, defineActor, serve, type BeachOptions, type Serving } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readEvents, type ServerEvent } from './support/server-events.ts'
import { mergeOptions } from './support/merge-options.ts'

const runtime = systemRuntime({ logger: silentLogger })
let serving: Serving

const echo = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'ack', text: 'I see.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'response', text: pieces(['You said ', text]) }], turnState: 'complete' })
})

async function* pieces(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

async function start(options: Partial<BeachOptions> = {}): Promise<void> {
  const beach = await createBeach(
    mergeOptions(
      {
        agent: { id: 'tester', name: 'Tester' },
        actors: { echo },
        data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32).fill(7) },
        page: (path) =>
          path === '/' ? new Response('<p>page</p>', { headers: { 'content-type': 'text/html' } }) : undefined,
        runtime,
      },
      options,
    ),
  )
  serving = await serve(beach, { port: 0 })
}

afterEach(() => serving.close())

interface Answer {
  status: number
  body: unknown
  headers: Headers
}

async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { body, token, headers } = options
  const response = await fetch(serving.url + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

interface CallOptions {
  body?: unknown
  token?: string
  headers?: Record<string, string>
}

const openedShape = z.strictObject({
  sessionId: z.string(),
  token: z.string(),
  refreshToken: z.string(),
  expiresAt: z.number(),
})

async function openSession(): Promise<{ sessionId: string; token: string }> {
  const { body } = await call('POST', '/sessions')
  return openedShape.parse(body)
}

const event = {
  part: z.strictObject({
    role: z.enum(['user', 'agent']),
    partId: z.string(),
    turnId: z.string().optional(),
    turnState: z.string().optional(),
    part: z.strictObject({ text: z.string(), metadata: z.looseObject({ partType: z.string() }) }),
    at: z.number(),
  }),
  delta: z.strictObject({
    epoch: z.number(),
    turnId: z.string(),
    partId: z.string(),
    partType: z.string(),
    offset: z.number(),
    text: z.string(),
  }),
  turn: z.strictObject({
    turnId: z.string(),
    epoch: z.number(),
    turnState: z.string(),
    step: z.number().optional(),
    actor: z.string().optional(),
    attempt: z.number().optional(),
    messageIds: z.array(z.string()).optional(),
  }),
  settled: z.strictObject({
    turnId: z.string(),
    turnState: z.string(),
    finalizedBy: z.string(),
    at: z.number(),
  }),
}

/** Follows the session until a turn has settled. */
async function untilSettled(session: string, token: string, headers: Record<string, string> = {}) {
  const events: ServerEvent[] = []
  const url = `${serving.url}/sessions/${session}/events`
  for await (const next of readEvents(url, { authorization: `Bearer ${token}`, ...headers })) {
    events.push(next)
    if (next.event === 'settled') break
  }
  return events
}

describe('the routes', () => {
  test('GET /healthz says that the agent is there', async () => {
    await start()
    expect(await call('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok', agent: 'tester' } })
  })

  test('a session is opened, a message is accepted, and its answer comes as events of the documented shape', async () => {
    await start()
    const { sessionId, token } = await openSession()
    const posted = await call('POST', `/sessions/${sessionId}/messages`, { token, body: { text: 'hello' } })
    expect(posted.status).toBe(202)
    z.strictObject({ messageId: z.string(), seq: z.number(), duplicate: z.literal(false) }).parse(posted.body)
    const events = await untilSettled(sessionId, token)
    expect(events.map((next) => next.event).filter((name) => name !== 'delta')).toEqual([
      'part',
      'turn',
      'part',
      'turn',
      'part',
      'turn',
      'settled',
    ])
    for (const next of events) {
      event[next.event as keyof typeof event].parse(next.data)
      expect(next.id === undefined).toBe(next.event === 'delta')
    }
    expect(events.filter((next) => next.event === 'part').map((next) => event.part.parse(next.data).part.text)).toEqual(
      ['hello', 'I see.', 'You said hello'],
    )
  })

  test('Last-Event-ID resumes after that event, and a foreign one means from the start', async () => {
    await start()
    const { sessionId, token } = await openSession()
    await call('POST', `/sessions/${sessionId}/messages`, { token, body: { text: 'hello' } })
    const events = (await untilSettled(sessionId, token)).filter((next) => next.event !== 'delta')
    const rest = await untilSettled(sessionId, token, { 'last-event-id': events[2]?.id ?? '' })
    expect(rest).toEqual(events.slice(3))
    for (const foreign of ['99999', '-4', 'x'.repeat(3_000), '../../etc']) {
      expect(await untilSettled(sessionId, token, { 'last-event-id': foreign })).toEqual(events)
    }
  })

  test('parts come in with their metadata, and go out again with it', async () => {
    await start()
    const { sessionId, token } = await openSession()
    const part = { text: 'hi', metadata: { partType: 'message', clientId: 'c1' } }
    await call('POST', `/sessions/${sessionId}/messages`, { token, body: { parts: [part] } })
    const [first] = await untilSettled(sessionId, token)
    expect(first?.data).toMatchObject({ part })
  })

  test('the same idempotency key is the same message, and another content under it is refused', async () => {
    await start()
    const { sessionId, token } = await openSession()
    const path = `/sessions/${sessionId}/messages`
    const headers = { 'idempotency-key': 'once' }
    const first = await call('POST', path, { token, headers, body: { text: 'hello' } })
    const again = await call('POST', path, { token, headers, body: { text: 'hello' } })
    expect(again).toMatchObject({ status: 202, body: { ...(first.body as object), duplicate: true } })
    expect(await call('POST', path, { token, headers, body: { text: 'other' } })).toMatchObject({
      status: 409,
      body: { error: { code: 'IDEMPOTENCY_MISMATCH' } },
    })
  })

  test('cancel says whether a turn was running', async () => {
    let started = () => {}
    const running = new Promise<void>((resolve) => (started = resolve))
    await start({
      actors: {
        forever: defineActor(async () => {
          started()
          await new Promise(() => {})
        }),
      },
    })
    const { sessionId, token } = await openSession()
    const path = `/sessions/${sessionId}/cancel`
    expect(await call('POST', path, { token })).toMatchObject({ status: 202, body: { cancelled: false } })
    await call('POST', `/sessions/${sessionId}/messages`, { token, body: { text: 'go' } })
    await running
    expect(await call('POST', path, { token, body: { turnId: 'turn_other' } })).toMatchObject({
      body: { cancelled: false },
    })
    expect(await call('POST', path, { token, body: {} })).toMatchObject({ body: { cancelled: true } })
    const events = await untilSettled(sessionId, token)
    expect(events.at(-1)?.data).toMatchObject({ finalizedBy: 'cancelled' })
  })
})

describe('GET /sessions/:id', () => {
  const view = z.strictObject({
    sessionId: z.string(),
    head: z.number(),
    epoch: z.number(),
    turn: z
      .strictObject({
        turnId: z.string(),
        actor: z.string(),
        turnState: z.string(),
        step: z.number(),
        pendingApprovals: z.array(z.string()),
      })
      .optional(),
    waiting: z.number(),
    coordinates: z.record(z.string(), z.string()),
    originators: z.array(
      z.strictObject({
        originatorId: z.string(),
        transport: z.literal('sse'),
        deliveryClass: z.literal('streaming'),
        listens: z.literal(false),
      }),
    ),
    manifests: z.array(
      z.strictObject({
        manifestId: z.string(),
        name: z.string(),
        turnId: z.string(),
        openedAt: z.number(),
        deadline: z.number().optional(),
        slots: z.array(z.strictObject({ slot: z.string(), state: z.string() })),
      }),
    ),
    inFlight: z.array(
      z.strictObject({
        kind: z.enum(['tool', 'approval', 'slot', 'delivery']),
        id: z.string(),
        name: z.string(),
        turnId: z.string(),
        since: z.number(),
        until: z.number().optional(),
      }),
    ),
    allowances: z.array(z.unknown()),
    deadLetters: z.array(z.unknown()),
  })

  test('says what is under way, and nothing of whose session it is', async () => {
    let finish = () => {}
    let begin = () => {}
    const began = new Promise<void>((resolve) => (begin = resolve))
    const run = () =>
      new Promise<void>((resolve) => {
        finish = resolve
        begin()
      })
    const researcher = defineActor(
      async ({ respond, manifest }) => {
        const slots = { flights: { work: 'search' } }
        const opened = await manifest({ name: 'trip', slots, deadlineMs: 60_000 })
        await opened.settled()
        await respond({ parts: [{ partType: 'response', text: 'Found.' }], turnState: 'complete' })
      },
      { works: { search: { run } } },
    )
    await start({ actors: { researcher } })
    const { sessionId, token } = await openSession()
    const path = `/sessions/${sessionId}`
    const fresh = await call('GET', path, { token })
    expect(fresh.status).toBe(200)
    expect(view.parse(fresh.body)).toEqual({
      sessionId,
      head: expect.any(Number) as number,
      epoch: 0,
      waiting: 0,
      coordinates: {},
      originators: [],
      manifests: [],
      inFlight: [],
      deadLetters: [],
      allowances: [],
    })
    await call('POST', `${path}/messages`, { token, body: { text: 'go' } })
    await began
    const busy = view.parse((await call('GET', path, { token })).body)
    expect(busy).toMatchObject({
      sessionId,
      turn: { actor: 'researcher', turnState: 'awaiting' },
      originators: [{ transport: 'sse' }],
      manifests: [{ name: 'trip', turnId: busy.turn?.turnId, slots: [{ slot: 'flights', state: 'running' }] }],
      inFlight: [{ kind: 'slot', name: 'search', until: busy.manifests[0]?.deadline }],
    })
    finish()
    await untilSettled(sessionId, token)
    expect(view.parse((await call('GET', path, { token })).body)).toMatchObject({ manifests: [], inFlight: [] })
  })

  test('is for those whose session it is', async () => {
    await start()
    const { sessionId } = await openSession()
    const stranger = await openSession()
    const path = `/sessions/${sessionId}`
    expect(await call('GET', path)).toMatchObject({ status: 401 })
    expect(await call('GET', path, { token: stranger.token })).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    })
    expect(await call('GET', '/sessions/sess_none', { token: stranger.token })).toMatchObject({ status: 404 })
    const wrong = await call('DELETE', path, { token: stranger.token })
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('GET')
  })
})

describe('an approval', () => {
  const booker = defineActor(async ({ respond, tool }) => {
    const outcome = await tool({ name: 'book', args: { flight: 1 }, requiresApproval: true }, async () => 'booked')
    const text = outcome.outcome === 'ok' ? outcome.value : outcome.reason
    await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
  })

  async function asked() {
    const opened = await openSession()
    const { sessionId, token } = opened
    await call('POST', `/sessions/${sessionId}/messages`, { token, body: { text: 'book it' } })
    const url = `${serving.url}/sessions/${sessionId}/events`
    for await (const { event: name, data } of readEvents(url, { authorization: `Bearer ${token}` })) {
      const part = name === 'part' ? (data as { part: { data?: { approvalId?: string } } }).part : undefined
      if (part?.data?.approvalId !== undefined) return { ...opened, approvalId: part.data.approvalId }
    }
    throw new Error('No approval was asked for.')
  }

  test('is decided once, by its owner, and the turn goes on', async () => {
    await start({ actors: { booker } })
    const { sessionId, token, approvalId } = await asked()
    const stranger = await openSession()
    const path = (session: string) => `/sessions/${session}/approvals/${approvalId}`
    const body = { decision: 'granted' }
    expect(await call('POST', path(sessionId), { token: stranger.token, body })).toMatchObject({ status: 404 })
    expect(await call('POST', path(stranger.sessionId), { token: stranger.token, body })).toMatchObject({ status: 404 })
    expect(await call('POST', `${path(sessionId)}x`, { token, body })).toMatchObject({ status: 404 })
    const mine = await call('POST', '/sessions', { token })
    const elsewhere = (mine.body as { sessionId: string }).sessionId
    expect(await call('POST', path(elsewhere), { token, body })).toMatchObject({ status: 404 })
    for (const bad of [{}, { decision: 'yes' }, { decision: 'granted', by: 'me' }]) {
      expect(await call('POST', path(sessionId), { token, body: bad })).toMatchObject({ status: 400 })
    }
    expect(await call('GET', path(sessionId), { token })).toMatchObject({ status: 405 })
    expect(await call('POST', path(sessionId), { token, body })).toMatchObject({
      status: 200,
      body: { status: 'decided' },
    })
    const events = await untilSettled(sessionId, token)
    expect(events.findLast((next) => next.event === 'part')?.data).toMatchObject({ part: { text: 'booked' } })
    expect(await call('POST', path(sessionId), { token, body: { decision: 'denied' } })).toMatchObject({
      status: 409,
      body: { error: { code: 'ALREADY_DECIDED' } },
    })
  })
})

describe('callers by HTTP:', () => {
  test('another principal’s session is not found, on every route', async () => {
    await start()
    const { sessionId } = await openSession()
    const { token } = await openSession()
    for (const [method, path, body] of [
      ['POST', 'messages', { text: 'x' }],
      ['POST', 'cancel', {}],
      ['GET', 'events', undefined],
    ] as const) {
      const answer = await call(method, `/sessions/${sessionId}/${path}`, { token, body })
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
    }
  })

  test('no credential, or a bad one, is refused', async () => {
    await start()
    const { sessionId, token } = await openSession()
    const path = `/sessions/${sessionId}/messages`
    expect(await call('POST', path, { body: { text: 'x' } })).toMatchObject({ status: 401 })
    const [version, body = '', signature] = token.split('.')
    const forged = Buffer.from(
      JSON.stringify({ ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object), kind: 'operator' }),
    ).toString('base64url')
    for (const bad of ['', 'v1', `${token}x`, `${version}.${forged}.${signature}`, 'v1..', `v1.${forged}.`]) {
      expect(await call('POST', path, { token: bad, body: { text: 'x' } })).toMatchObject({ status: 401 })
      expect(await call('POST', '/sessions', { token: bad })).toMatchObject({ status: 401 })
    }
    expect(await call('GET', `/sessions/${sessionId}/events?token=${token}`)).toMatchObject({ status: 401 })
  })

  test('the page gives each browser a cookie of the agent’s own name, and two browsers do not see each other', async () => {
    await start()
    const cookies = await Promise.all(
      [1, 2].map(async () => (await fetch(serving.url)).headers.get('set-cookie') ?? ''),
    )
    for (const cookie of cookies) expect(cookie).toMatch(/^beach_tester=eyJ.*; HttpOnly; SameSite=Lax/)
    const [mine, theirs] = cookies.map((cookie) => cookie.split(';')[0] ?? '')
    const opened = await call('POST', '/sessions', { headers: { cookie: mine ?? '' } })
    const { sessionId } = opened.body as { sessionId: string }
    const path = `/sessions/${sessionId}/messages`
    const body = { text: 'x' }
    expect(await call('POST', path, { body, headers: { cookie: theirs ?? '' } })).toMatchObject({ status: 404 })
    expect(await call('POST', path, { body, headers: { cookie: mine ?? '' } })).toMatchObject({ status: 202 })
    const known = await fetch(serving.url, { headers: { cookie: mine ?? '' } })
    expect(known.headers.get('set-cookie')).toBeNull()
  })

  test('the host of the public address is answered, as behind a load balancer that keeps the name', async () => {
    await start({ publicUrl: 'https://agent.example:8443', access: { hosts: ['other.example'] } })
    const get = (host: string) => raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(await get('agent.example:8443')).toMatch(/^HTTP\/1.1 200/)
    expect(await get('other.example')).toMatch(/^HTTP\/1.1 200/)
    expect(await get('evil.example')).toMatch(/^HTTP\/1.1 421/)
    const post = 'POST /mcp HTTP/1.1\r\nHost: agent.example:8443\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'
    expect(await raw(post)).not.toMatch(/^HTTP\/1.1 421/)
  })

  test('a foreign site cannot use the cookie, and a foreign host name is not answered', async () => {
    await start()
    const cookie = ((await fetch(serving.url)).headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const foreign = { cookie, origin: 'http://evil.example' }
    expect(await call('POST', '/sessions', { headers: foreign })).toMatchObject({ status: 403 })
    expect(await call('POST', '/sessions', { headers: { cookie, origin: serving.url } })).toMatchObject({ status: 201 })
    for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example']) {
      expect(await raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 421/)
    }
  })

  test('a balancer that knows a process by its address gets answers to its probes, and to nothing else', async () => {
    await start()
    const get = (path: string) => raw(`GET ${path} HTTP/1.1\r\nHost: agent-1:4747\r\nConnection: close\r\n\r\n`)
    for (const probe of ['/healthz', '/readyz']) expect(await get(probe)).toMatch(/^HTTP\/1.1 200/)
    for (const path of ['/', '/openapi.json', '/readyz/', '//readyz']) expect(await get(path)).toMatch(/^HTTP\/1.1 421/)
    const post = `POST /readyz HTTP/1.1\r\nHost: agent-1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
    expect(await raw(post)).toMatch(/^HTTP\/1.1 421/)
  })

  test('authenticators of the application come first', async () => {
    await start({
      access: {
        authenticators: [
          async (request) => {
            const id = request.headers.get('x-user')
            if (id === null) return undefined
            return { principal: { kind: 'user', id, tenant: 'default' }, credential: { type: 'x-user' } }
          },
        ],
      },
    })
    const opened = await call('POST', '/sessions', { headers: { 'x-user': 'ann' } })
    const { sessionId } = opened.body as { sessionId: string }
    const path = `/sessions/${sessionId}/messages`
    const body = { text: 'x' }
    expect(await call('POST', path, { body, headers: { 'x-user': 'ann' } })).toMatchObject({ status: 202 })
    expect(await call('POST', path, { body, headers: { 'x-user': 'ben' } })).toMatchObject({ status: 404 })
  })

  test('one principal cannot open streams without end', async () => {
    await start({ access: { limits: { streamsPerPrincipal: 2 } } })
    const { sessionId, token } = await openSession()
    const url = `${serving.url}/sessions/${sessionId}/events`
    const headers = { authorization: `Bearer ${token}` }
    for (let count = 0; count < 3; count++) expect((await fetch(url, { headers, method: 'HEAD' })).status).toBe(405)
    const first = await fetch(url, { headers })
    await fetch(url, { headers })
    expect(await call('GET', `/sessions/${sessionId}/events`, { token })).toMatchObject({
      status: 429,
      body: { error: { code: 'TOO_MANY' } },
    })
    await first.body?.cancel()
    let status = 429
    // The server notices a closed connection a moment later.
    while (status === 429) status = (await fetch(url, { headers })).status
    expect(status).toBe(200)
  })
})

describe('bad input', () => {
  const deep = `${'{"data":['.repeat(5_000)}${']}'.repeat(5_000)}`
  const cases: [string, number, string, CallOptions][] = [
    ['broken JSON', 400, 'BAD_JSON', { body: '{"text": ' }],
    ['no body', 400, 'BAD_REQUEST', {}],
    ['an empty object', 400, 'BAD_REQUEST', { body: {} }],
    ['empty text', 400, 'BAD_REQUEST', { body: { text: '   ' } }],
    ['text that is no string', 400, 'BAD_REQUEST', { body: { text: 5 } }],
    ['text and parts', 400, 'BAD_REQUEST', { body: { text: 'x', parts: [{ text: 'y' }] } }],
    ['a part with empty text', 400, 'BAD_REQUEST', { body: { parts: [{ text: '' }] } }],
    [
      'what only actors say',
      422,
      'INVALID_PART',
      { body: { parts: [{ text: 'x', metadata: { partType: 'response' } }] } },
    ],
    ['no parts', 400, 'BAD_REQUEST', { body: { parts: [] } }],
    ['a part with text and data', 400, 'BAD_REQUEST', { body: { parts: [{ text: 'y', data: {} }] } }],
    ['an unknown field', 400, 'BAD_REQUEST', { body: { text: 'x', role: 'operator' } }],
    [
      'an unregistered part type',
      422,
      'INVALID_PART',
      { body: { parts: [{ text: 'y', metadata: { partType: 'no' } }] } },
    ],
    [
      'a decision as a message',
      422,
      'INVALID_PART',
      { body: { parts: [{ data: {}, metadata: { partType: 'approval-response' } }] } },
    ],
    ['a list', 400, 'BAD_REQUEST', { body: [] }],
    ['null', 400, 'BAD_REQUEST', { body: 'null' }],
    ['too deep a body', 400, 'TOO_DEEP', { body: deep }],
    ['a prototype key', 400, 'BAD_REQUEST', { body: '{"text":"x","__proto__":{"a":1}}' }],
    ['an escaped prototype key', 400, 'BAD_REQUEST', { body: '{"parts":[{"data":{"\\u005f_proto__":{}}}]}' }],
    ['too large a body', 413, 'TOO_LARGE', { body: { text: 'x'.repeat(300_000) } }],
    [
      'another content type',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      { body: { text: 'x' }, headers: { 'content-type': 'text/plain' } },
    ],
    ['a bad idempotency key', 400, 'BAD_REQUEST', { body: { text: 'x' }, headers: { 'idempotency-key': 'a b' } }],
    [
      'too long an idempotency key',
      400,
      'BAD_REQUEST',
      { body: { text: 'x' }, headers: { 'idempotency-key': 'k'.repeat(201) } },
    ],
  ]

  test.each(cases)('%s gets %i %s and changes nothing', async (_, status, code, options) => {
    await start()
    const { sessionId, token } = await openSession()
    const answer = await call('POST', `/sessions/${sessionId}/messages`, { token, ...options })
    expect(answer).toMatchObject({ status, body: { error: { code } } })
    expect((answer.body as { error: { message: string } }).error.message.length).toBeGreaterThan(10)
    await call('POST', `/sessions/${sessionId}/messages`, { token, body: { text: 'after' } })
    const [first] = await untilSettled(sessionId, token)
    expect(first?.data).toMatchObject({ part: { text: 'after' } })
  })

  test('an unknown session, path or method gets a clear error', async () => {
    await start()
    const { sessionId, token } = await openSession()
    const body = { text: 'x' }
    expect(await call('POST', '/sessions/sess_none/messages', { token, body })).toMatchObject({ status: 404 })
    expect(await call('POST', `/sessions/${'x'.repeat(5_000)}/messages`, { token, body })).toMatchObject({
      status: 404,
    })
    expect(await call('POST', '/sessions/%00%ff/messages', { token, body })).toMatchObject({ status: 404 })
    expect(await call('GET', '/nothing/here')).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
    expect(await call('POST', '/healthz')).toMatchObject({ status: 405 })
    const wrong = await call('PUT', `/sessions/${sessionId}/messages`, { token, body })
    expect(wrong).toMatchObject({ status: 405, body: { error: { code: 'METHOD_NOT_ALLOWED' } } })
    expect(wrong.headers.get('allow')).toBe('POST')
    expect(await call('POST', '/sessions', { body: { owner: 'me' } })).toMatchObject({ status: 400 })
  })

  test('a body that never ends is cut off at the limit', async () => {
    await start()
    const { sessionId, token } = await openSession()
    const head = `POST /sessions/${sessionId}/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    expect(await raw(head + chunk.repeat(40))).toMatch(/^HTTP\/1.1 413/)
  })
})

/** Sends bytes as they are and gives back what the server says until it closes. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(serving.url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (data) => {
      answer += data.toString()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)))
  })
}
