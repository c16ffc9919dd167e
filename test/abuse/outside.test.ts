import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { ServerProcess } from '../support/server-process.ts'
import { freePort } from '../support/free-port.ts'

// The travel example as `npm start` runs it, attacked from outside.
let server: ServerProcess
beforeAll(async () => {
  server = new ServerProcess({ program: 'examples/travel/start.mjs', port: await freePort() })
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
