import { createBeach, defineActor } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { losingProxy } from '../support/losing-proxy.ts'
import { newDatabase } from '../support/postgres.ts'

const agent = { id: 'tester', name: 'Tester' }
const card = { schemaVersion: '1.0', ...agent, description: 'Repeats.', version: '1.0.0', capabilities: [] } as const
const actors = { main: defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' })) }
const nowhere = 1

async function start() {
  const database = await newDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const url = new URL(database.url)
  const proxy = await losingProxy(Number(url.port))
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const port = Number(url.port)
  url.port = String(proxy.port)
  url.hostname = '127.0.0.1'
  const runtime = systemRuntime({ logger: silentLogger })
  const db = await PostgresDatabase.open({ url: url.href, runtime })
  const store = await PostgresStore.open({ database: db, runtime })
  const secret = [new Uint8Array(32)]
  const beach = await createBeach({
    agent: card,
    actors,
    runtime,
    data: { store, secret },
    publicUrl: 'http://localhost',
  })
  onTestFinished(async () => {
    proxy.leadTo(port)
    await beach.close()
  })
  const ask = async (path: string, body?: unknown, token?: string) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'a2a-version': '1.0',
      'idempotency-key': 'key_1',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await beach.fetch(new Request(`http://localhost${path}`, init))
    const answer = (await response.json()) as Record<string, unknown>
    return { status: response.status, retryAfter: response.headers.get('retry-after'), answer }
  }
  return { ask, proxy, port, store }
}

const said = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: said } }
const run = {
  threadId: 't1',
  runId: 'r1',
  messages: [{ id: '1', role: 'user', content: 'hi' }],
  tools: [],
  context: [],
}

test('while PostgreSQL cannot be reached, the agent lives, refuses messages with Retry-After, and is ready again afterwards', async () => {
  const { ask, proxy, port, store } = await start()
  const { answer } = await ask('/sessions', {})
  const { sessionId, token } = answer as { sessionId: string; token: string }
  const waysIn = [
    ['/sessions', {}],
    [`/sessions/${sessionId}/messages`, { text: 'hi' }],
    ['/agui', run],
    ['/a2a', rpc],
  ] as const
  proxy.leadTo(nowhere)
  expect(await ask('/healthz')).toMatchObject({ status: 200 })
  const refused = await Promise.all([ask('/readyz'), ...waysIn.map(([path, body]) => ask(path, body, token))])
  expect(refused[0]).toMatchObject({
    status: 503,
    retryAfter: '5',
    answer: {
      status: 'unavailable',
      failing: [
        { part: 'store', code: 'STORE_UNAVAILABLE', message: expect.stringContaining('the connection') as string },
      ],
    },
  })
  for (const answered of refused.slice(1)) {
    expect(answered).toMatchObject({ status: 503, retryAfter: '1' })
    expect(JSON.stringify(answered.answer)).toContain('cannot be')
  }
  proxy.leadTo(port)
  // What the caller sends again is taken once.
  await expect.poll(async () => (await ask('/readyz')).status, { timeout: 20_000 }).toBe(200)
  for (let time = 0; time < 2; time++) {
    expect(await ask(`/sessions/${sessionId}/messages`, { text: 'hi' }, token)).toMatchObject({
      status: 202,
    })
  }
  const types = (await store.read(sessionId, 0)).map(({ data }) => (data as { type: string }).type)
  expect(types.filter((type) => type === 'messageReceived')).toHaveLength(1)
}, 60_000)
