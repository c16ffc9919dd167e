import { connect } from 'node:net'
import { defineActor } from '@cool-ai/beach'
import type { Clock } from '@cool-ai/beach-core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { apiKey, newToken, runtime, startAgent } from './agent.ts'

interface Answer {
  readonly id: unknown
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into by the tests.
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

function post(url: string, method: string, params: object, more: RequestInit & { token?: string } = {}) {
  const { token, ...init } = more
  const headers = {
    'content-type': 'application/json',
    'a2a-version': '1.0',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
  return fetch(`${url}/a2a`, { ...init, method: 'POST', headers, body })
}

async function call(url: string, method: string, params: object, token?: string) {
  const response = await post(url, method, params, token === undefined ? {} : { token })
  return { status: response.status, ...((await response.json()) as Answer) }
}

function message(text: string, more: object = {}) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more } }
}

const asks = defineActor(({ respond }) =>
  respond({ parts: [{ partType: 'clarify', text: 'Which?' }], turnState: 'clarifying' }),
)

/** Sends the head of a request and less of its body than it says; gives what comes back. */
function halfRequest(url: string, path: string) {
  const { port, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => (answer += String(chunk)))
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  const headers = ['content-type: application/json', 'a2a-version: 1.0', 'content-length: 1000']
  socket.write(`POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${headers.join('\r\n')}\r\n\r\n{`)
  return () => answer
}

test('guests with a token each count with all others from their address', async () => {
  const limits = { streamsPerPrincipal: 2, guestStreamsPerNetwork: 3 }
  const { url } = await startAgent({ actors: { asks }, limits })
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const statuses: number[] = []
  for (let guest = 0; guest < 2; guest++) {
    const token = await newToken(url)
    const { result } = await call(url, 'SendMessage', message('hello'), token)
    for (let n = 0; n < 2; n++) {
      const { status } = await post(url, 'SubscribeToTask', { id: result.task.id }, { token, signal: end.signal })
      statuses.push(status)
    }
  }
  expect(statuses).toEqual([200, 200, 200, 429])
})

test.each(['/a2a', '/a2a/rest/message:send'])('at %s nobody is read who is not known', async (path) => {
  const header = 'x-key'
  const { authenticate } = apiKey(header)
  const { url } = await startAgent({ a2a: { auth: { type: 'api-key', header } }, authenticators: [authenticate] })
  const answer = halfRequest(url, path)
  await vi.waitFor(() => expect(answer()).toContain('401'))
  if (path === '/a2a') expect(answer()).toContain('"id":null')
})

test('a body that is on its way counts for its sender', async () => {
  const { url } = await startAgent({ limits: { streamsPerPrincipal: 1 } })
  halfRequest(url, '/a2a')
  await vi.waitFor(async () => expect((await call(url, 'GetTask', { id: 'x' })).status).toBe(429))
})

test.each(['/a2a', '/a2a/rest/message:send'])('at %s the body of a guest is not waited for long', async (path) => {
  const waiting: (() => void)[] = []
  const timer: Clock['timer'] = (ms, run) => {
    if (ms !== 15_000) return runtime.clock.timer(ms, run)
    waiting.push(run)
    return () => {}
  }
  // Others that wait as long are not meant.
  const more = { runtime: { ...runtime, clock: { ...runtime.clock, timer } }, heartbeatMs: 14_000 }
  const { url } = await startAgent(more)
  const answer = halfRequest(url, path)
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  for (const run of waiting) run()
  await vi.waitFor(() => expect(answer()).toContain('did not come within 15 seconds'))
  // The connection ends with the answer.
  expect(answer().toLowerCase()).toContain('connection: close')
})

test('an error keeps the id of its request, once that was read', async () => {
  const { url } = await startAgent()
  const headers = { 'content-type': 'application/json', 'a2a-version': '9.9' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: 'x' } })
  const answer = (await (await fetch(`${url}/a2a`, { method: 'POST', headers, body })).json()) as Answer
  expect(answer).toMatchObject({ id: 7, error: { code: -32_009 } })
})

test('strangers do not meet in contexts whose names can be guessed', async () => {
  const { url } = await startAgent({ publicUrl: 'https://agent.example' })
  const advice = expect.stringContaining('at least 32 characters') as string
  const sent = await call(url, 'SendMessage', message('hello', { contextId: 'default' }))
  expect(sent).toMatchObject({ status: 401, id: 7, error: { message: advice } })
  expect(await call(url, 'ListTasks', { contextId: 'default' })).toMatchObject({
    status: 401,
    error: { message: advice },
  })
  const contextId = crypto.randomUUID()
  const { result } = await call(url, 'SendMessage', message('hello', { contextId }))
  expect(result.task).toMatchObject({ contextId })
  expect((await call(url, 'ListTasks', { contextId })).result.totalSize).toBe(1)
  // Without a name the context is named by its session, and whoever has a token has names of their own.
  const own = (await call(url, 'SendMessage', message('hello'))).result.task
  expect((await call(url, 'SendMessage', message('again', { contextId: own.contextId }))).result).toBeDefined()
  const token = await newToken(url)
  expect((await call(url, 'SendMessage', message('hello', { contextId: 'default' }), token)).result).toBeDefined()
})

test('strangers who happen to send the same message share no task, unless nobody else could have its id', async () => {
  let address = '192.0.2.1'
  const { url } = await startAgent({ remoteAddress: () => address })
  const send = async (from: string, messageId: string) => {
    address = from
    return (await call(url, 'SendMessage', message('hello', { messageId }))).result.task.id
  }
  const task = await send('192.0.2.1', '1')
  expect(await send('192.0.2.1', '1')).toBe(task)
  expect(await send('192.0.2.2', '1')).not.toBe(task)
  const id = crypto.randomUUID()
  expect(await send('192.0.2.1', id)).toBe(await send('192.0.2.2', id))
})
