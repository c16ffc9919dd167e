import { createBeach, defineActor, openData } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabase } from '../support/postgres.ts'

const agent = { id: 'slow', name: 'Slow' }
const answer = { parts: [{ partType: 'response', text: 'Here.' }], turnState: 'complete' } as const
const actors = { main: defineActor(async ({ respond }) => respond(answer)) }

test('while PostgreSQL answers too slowly, requests are refused with Retry-After, few wait, and all is taken afterwards', async () => {
  const database = await newDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const runtime = systemRuntime({ logger: silentLogger })
  const secret = new Uint8Array(32).fill(3)
  const data = await openData({ store: `${database.url}?lock_timeout=300`, agent: agent.id, secret, runtime })
  const beach = await createBeach({ agent, actors, runtime, ...data })
  onTestFinished(() => beach.close())
  const post = async (path: string, body: unknown, token = '') => {
    const headers = { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await beach.fetch(new Request(`http://localhost${path}`, init))
    const read = (await response.json()) as Record<string, string>
    return { status: response.status, retryAfter: response.headers.get('retry-after'), read }
  }
  const opened = await Promise.all(Array.from({ length: 60 }, async () => (await post('/sessions', {})).read))
  const sayAll = () =>
    Promise.all(opened.map(({ sessionId, token }) => post(`/sessions/${sessionId}/messages`, { text: 'hello' }, token)))
  await database.query('BEGIN')
  await database.query('LOCK TABLE beach_slow.event IN ACCESS EXCLUSIVE MODE')
  const refused = await sayAll()
  for (const { status, retryAfter } of refused) expect([status, retryAfter]).toEqual([503, '1'])
  expect(beach.load).toEqual({ bodies: 0, bodyBytes: 0 })
  await database.query('ROLLBACK')
  for (const { status } of await sayAll()) expect(status).toBe(202)
  const count = `SELECT count(*)::int AS count FROM beach_slow.event WHERE data LIKE '%turnSettled%'`
  await expect
    .poll(async () => (await database.query<{ count: number }>(count)).rows[0]?.count, { timeout: 20_000 })
    .toBe(60)
  const messages = `SELECT count(*)::int AS count FROM beach_slow.event WHERE data LIKE '%"messageReceived"%'`
  expect((await database.query<{ count: number }>(messages)).rows[0]?.count).toBe(60)
})
