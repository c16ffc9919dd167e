import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SimulatedClock } from '@cool-ai/beach-core'
import { expect, test, type TestContext } from 'vitest'
import { connect } from './connect.ts'
import type { Connection } from './reliability/connection.ts'
import { joinSession, openSession } from './open-session.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A server that answers as the test says, one answer after the other, the last one for ever. */
async function scripted(context: TestContext, ...answers: Answer[]) {
  const requests: { path: string; body: string; headers: IncomingMessage['headers'] }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('end', () => {
      const answer = answers[Math.min(requests.length, answers.length - 1)]
      requests.push({ path: `${request.method} ${request.url}`, body, headers: request.headers })
      answer?.(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
  }
}

const never: Answer = () => {}
const html: Answer = (_request, response) => {
  response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
}
const fast = { random: () => 0 }

test('opening a session gives its id and token', async (context) => {
  const { url, requests } = await scripted(context, json(201, { sessionId: 'sess_1', token: 'v1.x' }))
  expect(await openSession({ url: `${url}/`, token: 'mine' })).toEqual({ sessionId: 'sess_1', token: 'v1.x' })
  expect(requests).toMatchObject([
    {
      path: 'POST /sessions',
      body: '{}',
      headers: { authorization: 'Bearer mine', 'content-type': 'application/json' },
    },
  ])
})

test('joining a session by the code of a link does too', async (context) => {
  const { url, requests } = await scripted(context, json(200, { sessionId: 'sess_1' }))
  expect(await joinSession({ url, code: 'abc' })).toEqual({ sessionId: 'sess_1' })
  expect(requests).toMatchObject([{ path: 'POST /join', body: '{"code":"abc"}' }])
})

test('an agent behind a path is found there', async (context) => {
  const { url, requests } = await scripted(context, json(201, { sessionId: 'sess_1' }))
  await openSession({ url: new URL('/travel/?x=1#y', url) })
  expect(requests[0]?.path).toBe('POST /travel/sessions')
})

test('a temporary failure is tried again; a refusal is not', async (context) => {
  const refusal = json(410, { error: { code: 'EXPIRED', message: 'This link was used.' } })
  const { url, requests } = await scripted(context, html, json(503, { error: {} }), refusal)
  await expect(joinSession({ url, code: 'abc', ...fast })).rejects.toMatchObject({
    code: 'EXPIRED',
    status: 410,
    message: 'This link was used.',
  })
  expect(requests).toHaveLength(3)
})

test('a server that is no agent is not taken for one', async (context) => {
  const page: Answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in to this network</h1>')
  }
  const { url } = await scripted(context, page, json(201, { sessionId: 'sess_1' }))
  expect(await openSession({ url, ...fast })).toEqual({ sessionId: 'sess_1' })
})

test('an agent that cannot be reached is given up after half a minute', async () => {
  const clock = new SimulatedClock()
  let tries = 0
  const opening = openSession({
    url: 'http://agent.example',
    clock,
    random: () => 0.999,
    fetch: async () => {
      tries++
      throw new TypeError('No route.')
    },
  })
  const outcome = expect(opening).rejects.toMatchObject({ code: 'UNREACHABLE', cause: { message: 'No route.' } })
  await clock.advance(60_000)
  await outcome
  expect(tries).toBe(6)
})

test('an unanswered request counts as lost after half a minute', async (context) => {
  const { url, requests } = await scripted(context, never)
  const clock = new SimulatedClock()
  const opening = openSession({ url, clock, random: () => 0 })
  const outcome = expect(opening).rejects.toMatchObject({ code: 'UNREACHABLE' })
  while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(30_000)
  await outcome
})

test('opening ends when the caller says so', async (context) => {
  const { url, requests } = await scripted(context, never)
  const end = new AbortController()
  const opening = openSession({ url, signal: end.signal })
  while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  end.abort()
  await expect(opening).rejects.toMatchObject({ code: 'CANCELLED' })
})

test.each([
  ['seconds', () => '7', 7_000],
  ['a date', (now: number) => new Date(now + 9_000).toUTCString(), 9_000],
  ['a date that has passed', (now: number) => new Date(now - 9_000).toUTCString(), 0],
  ['nonsense', () => 'soon', 0],
])('Retry-After in %s is kept to', async (_what, header, asked) => {
  const clock = new SimulatedClock()
  const conversation = connect({
    url: 'http://agent.example',
    sessionId: 'sess_1',
    via: 'sse',
    clock,
    random: () => 0,
    fetch: async () =>
      Response.json(
        { error: { code: 'STORE_BUSY', message: 'Later.' } },
        { status: 503, headers: { 'retry-after': header(clock.now()) } },
      ),
  })
  const waiting = await new Promise<Connection>((resolve) => {
    conversation.on('connection', (connection) => connection.state === 'waiting' && resolve(connection))
  })
  expect(waiting).toMatchObject({ retryAt: clock.now() + asked, error: { code: 'STORE_BUSY', message: 'Later.' } })
  conversation.close()
})
