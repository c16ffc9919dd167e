import { createBeach, defineActor } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { following } from '../support/following.ts'
import { newDatabase } from '../support/postgres.ts'
import { transactionPooler } from '../support/transaction-pooler.ts'

const runtime = systemRuntime({ logger: silentLogger })

async function pooled() {
  const server = await newDatabase()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const url = new URL(server.url)
  const startup = { user: url.username, database: url.pathname.slice(1), client_encoding: 'UTF8' }
  const pooler = await transactionPooler(Number(url.port), startup)
  onTestFinished(() => pooler[Symbol.asyncDispose]())
  const through = Object.assign(url, { hostname: '127.0.0.1', port: String(pooler.port) })
  return { server, url: through.href }
}

test('behind a pooler in transaction mode an agent with a direct address for notifications works', async () => {
  const { server, url } = await pooled()
  const settings = { url: `${url}?prepared=false`, directUrl: server.url, runtime }
  const open = async () => {
    const database = await PostgresDatabase.open(settings)
    const store = await PostgresStore.open({ database, runtime })
    onTestFinished(() => store.close())
    return store
  }
  const [one, other] = [await open(), await open()]
  const seen = following(other, 's')
  const lease = other.claim(10_000, new AbortController().signal)
  await one.append('s', 0, [{ n: 1 }], runtime.clock.now())
  expect((await lease)?.session).toBe('s')
  await Promise.all(Array.from({ length: 50 }, (_, n) => one.append(`many-${n}`, 0, [{ n }])))
  await one.append('s', 1, [{ n: 2 }])
  await seen.until(() => seen.events.length === 2)
  await one.erase('s', [{ seq: 1, data: { n: 'erased' } }])
  expect((await other.read('s', 0)).map(({ data }) => data)).toEqual([{ n: 'erased' }, { n: 2 }])
  await one.drop('s')
  expect(await other.read('s', 0)).toEqual([])
})

test('an agent behind a pooler that loses notifications does not start, and says what to set', async () => {
  const { url } = await pooled()
  const starting = createBeach({
    agent: { id: 'clerk', name: 'Clerk' },
    actors: { clerk: defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' })) },
    secret: new TextEncoder().encode('a secret of thirty-two characters'),
    runtime,
    data: `${url}?prepared=false`,
  })
  await expect(starting).rejects.toThrow('Set BEACH_STORE_DIRECT')
})

test('an agent behind a pooler that mixes prepared statements up does not start, and says what to set', async () => {
  const { server, url } = await pooled()
  const database = await PostgresDatabase.open({ url, directUrl: server.url, runtime })
  onTestFinished(() => database.end())
  const working = async () => {
    const store = await PostgresStore.open({ database, runtime })
    for (let n = 0; n < 20; n++) await store.read('s', n)
  }
  await expect(working()).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining('?prepared=false') as string,
  })
})
