import { createHmac } from 'node:crypto'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { ServerProcess } from '../support/server-process.ts'
import { freePort } from '../support/free-port.ts'

// The travel example as `npm start` runs it, with its webhook, attacked from outside.
const hookKey = Buffer.alloc(32, 'hook')
let server: ServerProcess
beforeAll(async () => {
  const variables = { TRAVEL_HOOK_SECRET: `whsec_${hookKey.toString('base64')}` }
  server = new ServerProcess({ program: 'examples/travel/start.mjs', port: await freePort(), variables })
  await server.start()
  return () => server[Symbol.asyncDispose]()
})

interface Answer {
  readonly status: number
  readonly body: string
}

/** A request with any headers, those that `fetch` keeps to itself too. */
function send(method: string, path: string, headers: Record<string, string> = {}, body?: string | Uint8Array) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = request(new URL(path, server.url), { method, headers }, (response) => {
    let text = ''
    response.on('data', (piece) => (text += String(piece)))
    response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

const json = { 'content-type': 'application/json' }

/** Sends all at the same moment; resolves to their statuses, the lowest first. */
async function atOnce(sends: readonly (() => Promise<Answer>)[]): Promise<number[]> {
  const answers = await Promise.all(sends.map((each) => each()))
  return answers.map(({ status }) => status).toSorted((one, other) => one - other)
}

const by = (token: string) => ({ ...json, authorization: `Bearer ${token}` })

/** The first that the program has printed of something. */
function printed(pattern: RegExp): string {
  const [, found] = pattern.exec(server.output) ?? []
  if (found === undefined) throw new Error(`${pattern} was not printed.`)
  return found
}

async function newSession(): Promise<{ sessionId: string; token: string }> {
  const { status, body } = await send('POST', '/sessions', json, '{}')
  expect(status).toBe(201)
  return JSON.parse(body) as { sessionId: string; token: string }
}

test('S02: a client cannot choose the id of a session, and that of a guest is not there for any other caller', async () => {
  const chosen = await send('POST', '/sessions', json, JSON.stringify({ sessionId: 'sess_chosen' }))
  expect(chosen.status).toBe(400)
  const [guest, other] = [await newSession(), await newSession()]
  const messages = `/sessions/${guest.sessionId}/messages`
  const as = (token: string) => ({ ...json, authorization: `Bearer ${token}` })
  const asOther = await send('POST', messages, as(other.token), '{"text":"hello"}')
  expect([asOther.status, (JSON.parse(asOther.body) as { error: { code: string } }).error.code]).toEqual([
    404,
    'NOT_FOUND',
  ])
  expect((await send('POST', '/sessions/sess_chosen/messages', as(guest.token), '{"text":"hello"}')).status).toBe(404)
  expect((await send('POST', messages, as(guest.token), '{"text":"hello"}')).status).toBe(202)
})

test('S08: a token in the address counts nowhere, and stands in no line of the log', async () => {
  const { sessionId, token } = await newSession()
  for (const name of ['token', 'access_token', 'authorization', 'refreshToken']) {
    const { status } = await send('GET', `/sessions/${sessionId}/events?${name}=${token}`)
    expect(status, name).toBe(401)
  }
  expect(server.output).not.toContain(token.slice(-40))
})

test('B01: a request that names another host is refused on every route', async () => {
  const { token, sessionId } = await newSession()
  const headers = { ...json, host: 'evil.example', authorization: `Bearer ${token}` }
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/inspect'],
    ['GET', '/.well-known/agent-card.json'],
    ['GET', `/sessions/${sessionId}`],
    ['POST', '/sessions'],
    ['POST', '/a2a'],
    ['POST', '/mcp'],
    ['POST', '/agui'],
    ['POST', '/chat'],
  ] as const) {
    const { status, body } = await send(method, path, headers, method === 'POST' ? '{}' : undefined)
    expect([path, status]).toEqual([path, 421])
    expect(body).toContain('WRONG_HOST')
  }
})

test('B05: forged forwarding headers change no link that the agent gives', async () => {
  const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher', forwarded: 'host=evil.example' }
  const card = await send('GET', '/.well-known/agent-card.json', forged)
  expect(card.status).toBe(200)
  expect(card.body).not.toContain('evil.example')
  const { sessionId, token } = await newSession()
  const link = await send(
    'POST',
    `/sessions/${sessionId}/links`,
    { ...json, ...forged, authorization: `Bearer ${token}` },
    '{}',
  )
  expect(link.body).not.toMatch(/evil\.example|gopher/)
  expect((await send('GET', '/', forged)).body).not.toMatch(/evil\.example|gopher/)
})

test('H04: a compressed body is refused before it is unpacked, wherever it is sent', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20))
  const { token, sessionId } = await newSession()
  const headers = { ...json, 'content-encoding': 'gzip', authorization: `Bearer ${token}` }
  for (const path of ['/sessions', `/sessions/${sessionId}/messages`, '/a2a', '/mcp', '/agui', '/chat', '/join']) {
    const { status, body } = await send('POST', path, headers, bomb)
    expect(status, path).toBeLessThan(500)
    // JSON-RPC has its errors in answers with the status 200.
    expect(status >= 400 || body.includes('"error":{"code":-32'), path).toBe(true)
  }
  expect((await send('GET', '/healthz')).status).toBe(200)
})

test('S03: the cursor of another session replays nothing of it', async () => {
  const [one, other] = [await newSession(), await newSession()]
  await send('POST', `/sessions/${one.sessionId}/messages`, by(one.token), '{"text":"canary-of-one"}')
  for (const cursor of ['1', '999999', '-4', '../../etc', 'x'.repeat(3_000)]) {
    const end = new AbortController()
    const headers = { ...by(other.token), 'last-event-id': cursor }
    const events = await fetch(`${server.url}/sessions/${other.sessionId}/events`, { headers, signal: end.signal })
    expect(events.status).toBe(200)
    const { value } = (await events.body?.getReader().read()) ?? {}
    end.abort()
    expect(Buffer.from(value ?? []).toString()).not.toContain('canary-of-one')
    expect((await send('GET', `/sessions/${one.sessionId}/events`, headers)).status).toBe(404)
  }
})

test('S05: one caller cannot open streams without end', async () => {
  const { sessionId, token } = await newSession()
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const open = async () =>
    (await fetch(`${server.url}/sessions/${sessionId}/events`, { headers: by(token), signal: end.signal })).status
  const statuses = await Promise.all(Array.from({ length: 230 }, open))
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
})

test('S09: a WebSocket of another site is refused', async () => {
  const { sessionId } = await newSession()
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    origin: 'https://evil.example',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  expect((await send('GET', `/sessions/${sessionId}/ws`, headers)).status).toBe(403)
})

test('S10: the local mailbox, phone and work chat open for nobody without the key of their link', async () => {
  const key = printed(/\/local\/chat\?key=([\w-]+)/)
  for (const path of ['/local/mailbox', '/local/phone', '/local/chat', '/local/chat?key=wrong', '/local/nothing']) {
    expect((await send('GET', path)).status, path).toBe(403)
  }
  expect((await send('GET', `/local/chat?key=${key}`)).status).toBeLessThan(400)
  const fromElsewhere = { ...json, origin: 'https://evil.example' }
  expect((await send('POST', `/local/chat?key=${key}`, fromElsewhere, '{}')).status).toBe(403)
  expect((await send('GET', `/local/chat?key=${key}`, { host: 'evil.example' })).status).toBe(421)
})

test('S11: the id of a conversation of another caller leads to none of it', async () => {
  const [one, other] = [by((await newSession()).token), by((await newSession()).token)]
  const said = (text: string) => {
    const parts = [{ type: 'text', text }]
    return JSON.stringify({ id: 'c1', messages: [{ id: 'm1', role: 'user', parts }], trigger: 'submit-message' })
  }
  const { body: models } = await send('GET', '/v1/models', one)
  const [{ id: model }] = (JSON.parse(models) as { data: [{ id: string }] }).data
  const [chat, asked] = await Promise.all([
    send('POST', '/chat', one, said('canary-chat')),
    send('POST', '/v1/responses', one, JSON.stringify({ model, input: 'hello' })),
  ])
  expect([chat.status, asked.status]).toEqual([200, 200])
  expect((await send('GET', '/chat/c1', one)).body).toContain('canary-chat')
  expect((await send('GET', '/chat/c1', other)).body).not.toContain('canary-chat')
  expect((await send('GET', '/chat/c1')).status).toBe(401)
  const { id } = JSON.parse(asked.body) as { id: string }
  const again = JSON.stringify({ model, input: 'what did I say?', previous_response_id: id })
  const tries = [
    ['POST', '/v1/responses', again],
    ['GET', `/v1/responses/${id}`],
    ['GET', `/v1/responses/${id}/input_items`],
    ['POST', `/v1/responses/${id}/cancel`, '{}'],
    ['DELETE', `/v1/responses/${id}`],
  ] as const
  for (const [method, path, body] of tries) expect((await send(method, path, other, body)).status, path).toBe(404)
  expect((await send('GET', `/v1/responses/${id}`, one)).status).toBe(200)
})

test('B04: pages are in no frame of another site', async () => {
  for (const path of ['/', '/inspect/']) {
    const { headers } = await fetch(server.url + path)
    expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'")
  }
})

test('B06: the link to the inspector opens it once, and is no token', async () => {
  const token = printed(/\/inspect\/\?token=(\w+)/)
  const bearer = { authorization: `Bearer ${token}` }
  for (const path of ['/inspect/api/sessions', '/operator/dead-letters']) {
    expect((await send('GET', path, bearer)).status, path).toBe(401)
  }
  const open = () => send('GET', `/inspect/?token=${token}`)
  expect(await atOnce([open, open, open])).toEqual([303, 401, 401])
})

test('B07: the link to another device is for one device, and only its session’s caller has it made', async () => {
  const [one, other] = [await newSession(), await newSession()]
  const links = `/sessions/${one.sessionId}/links`
  expect((await send('POST', links, by(other.token), '{}')).status).toBe(404)
  const { code } = JSON.parse((await send('POST', links, by(one.token), '{}')).body) as { code: string }
  const join = () => send('POST', '/join', json, JSON.stringify({ code }))
  const [taken, ...refused] = await atOnce([join, join, join])
  expect(taken).toBeLessThan(300)
  for (const status of refused) expect(status).toBeGreaterThanOrEqual(400)
  const guess = () => send('POST', '/join', json, JSON.stringify({ code: `${one.sessionId}.link_x` }))
  const guesses = await atOnce(Array.from({ length: 30 }, () => guess))
  expect(guesses).toContain(429)
  expect(guesses.some((status) => status < 400)).toBe(false)
})

test('A07: a task of another caller is neither configured, followed nor cancelled', async () => {
  const [one, other] = [by((await newSession()).token), by((await newSession()).token)]
  const call = async (headers: Record<string, string>, method: string, params: unknown) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await send('POST', '/a2a', { ...headers, 'a2a-version': '1.0' }, body)
    return JSON.parse(answer.body) as { result?: { task?: { id: string } }; error?: { code: number } }
  }
  const message = { role: 'ROLE_USER', messageId: 'm1', parts: [{ text: 'hello' }] }
  const { result } = await call(one, 'SendMessage', { message, configuration: { returnImmediately: true } })
  const id = result?.task?.id ?? ''
  const config = { taskId: id, url: 'https://evil.example/', token: 't' }
  for (const [method, params] of [
    ['GetTask', { id }],
    ['CancelTask', { id }],
    ['SubscribeToTask', { id }],
    ['CreateTaskPushNotificationConfig', config],
  ] as const) {
    expect((await call(other, method, params)).error?.code, method).toBeLessThan(0)
  }
  expect((await call(one, 'GetTask', { id })).error).toBeUndefined()
})

test('H06: a body whose keys reach prototypes is refused on every channel', async () => {
  const { token, sessionId } = await newSession()
  const bad = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'
  for (const path of ['/sessions', `/sessions/${sessionId}/messages`, '/a2a', '/agui', '/chat', '/v1/responses']) {
    const { status, body } = await send('POST', path, by(token), `{"text":"hello",${bad}}`)
    expect(status === 400 || body.includes('"error":{"code":-32'), `${path}: ${status} ${body}`).toBe(true)
  }
})

test('W01, H01: webhooks that are not signed are refused, and nothing comes of them', async () => {
  for (const path of ['/channels/whatsapp', '/channels/chat/slack']) {
    expect((await send('POST', path, json, '{"entry":[],"type":"event_callback"}')).status, path).toBe(401)
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'AAAA' }
  expect((await send('POST', '/channels/sms', form, 'From=%2B1&Body=yes')).status).toBe(403)
})

test('H01, H03, W02: a signed webhook counts for its bytes, its id and its time, by any signature of a list', async () => {
  const now = Math.floor(Date.now() / 1_000)
  const body = '{"text":"hello"}'
  const signature = (id: string, time: number) =>
    `v1,${createHmac('sha256', hookKey).update(`${id}.${time}.${body}`).digest('base64')}`
  const ask = async (id: string, more: Record<string, string> = {}, sent = body) => {
    const signed = { 'webhook-id': id, 'webhook-timestamp': String(now), 'webhook-signature': signature(id, now) }
    return (await send('POST', '/webhooks/travel', { ...json, ...signed, ...more }, sent)).status
  }
  const at = (time: number) => ({ 'webhook-timestamp': String(time), 'webhook-signature': signature('msg_2', time) })
  expect(await ask('msg_1')).toBeLessThan(300)
  expect(await ask('msg_1', { 'webhook-signature': `v1,AAAA ${signature('msg_1', now)}` })).toBeLessThan(300)
  expect([
    await ask('msg_2', at(now - 6 * 60)),
    await ask('msg_2', at(now + 6 * 60)),
    await ask('msg_2', {}, '{ "text": "hello" }'),
    await ask('msg_2', { 'webhook-id': 'msg_3' }),
    await ask('msg_2', { 'webhook-signature': 'v1,AAAA' }),
  ]).toEqual([401, 401, 401, 401, 401])
})

test('W08: the set-up question with a wrong word is refused', async () => {
  const query = 'hub.mode=subscribe&hub.verify_token=wrong&hub.challenge=%3Cscript%3E'
  const { status, body } = await send('GET', `/channels/whatsapp?${query}`)
  expect(status).toBe(403)
  expect(body).not.toContain('<script>')
})

test('L02: nothing that a caller sends begins a line of the log, or colours one', async () => {
  const { token, sessionId } = await newSession()
  const forged = '\n[FORGED] \u001b[31mline'
  const messages = `/sessions/${sessionId}/messages`
  await send('POST', messages, by(token), JSON.stringify({ text: forged }))
  await send('POST', `/nothing/${encodeURIComponent(forged)}`, by(token), '{}')
  for (const name of ['slack', 'teams', 'telegram']) {
    await send('POST', `/channels/chat/${name}`, json, JSON.stringify({ type: forged, id: forged, text: forged }))
  }
  // The program's own lines are all that is there: no stack of an adapter, and no colour.
  expect(server.output).not.toMatch(/^\[FORGED|^\s+at |\[chat-sdk/m)
  expect(server.output).not.toContain('\u001b[31m')
})
