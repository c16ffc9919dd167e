import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresMissiveStore, type PostgresMissiveStoreOptions } from '@cool-ai/beach-missives/postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  found,
  missive,
  testMissiveStore,
} from '../../packages/missives/src/missives/missive-store-suite.test-helper.ts'
import { newMainKeys } from '../../packages/missives/src/sealed/main-keys.test-helper.ts'
import { sealedMissives } from '@cool-ai/beach-missives/sealed'
import { losingProxy } from '../support/losing-proxy.ts'
import { newDatabase } from '../support/postgres.ts'

let server: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  server = await newDatabase()
})
afterAll(() => server[Symbol.asyncDispose]())

let schemas = 0

/** A store of missives, in tables of its own unless a schema is given. */
async function open(
  more: Omit<Partial<PostgresMissiveStoreOptions>, 'database'> & { schema?: string; url?: string } = {},
): Promise<PostgresMissiveStore> {
  const { schema = `missives_${++schemas}`, url = server.url, ...options } = more
  const database = await PostgresDatabase.open({ url, schema })
  const store = await PostgresMissiveStore.open({ database, ...options })
  onTestFinished(() => store.close())
  return store
}

describe('the PostgreSQL store of missives', () => {
  testMissiveStore(() => open())
})

describe('the encrypted PostgreSQL store of missives', () => {
  testMissiveStore(async () => open({ codec: sealedMissives(await newMainKeys()) }), { findsBeginnings: false })
})

test('of two processes that read on from one place, one writes what it read', async () => {
  const stores = [await open({ schema: 'shared' }), await open({ schema: 'shared' })] as const
  for (let seq = 0; seq < 20; seq++) {
    const written = await Promise.all(
      stores.map((store, n) =>
        store.write('sess_1', seq, { seq: seq + 1, state: { n } }, [
          { kind: 'missive', missive: missive(`${seq} of ${n}`) },
        ]),
      ),
    )
    const winner = written.indexOf(true)
    expect(written[1 - winner]).toBe(false)
    expect(await stores[0].place('sess_1')).toEqual({ seq: seq + 1, state: { n: winner } })
    expect((await found(stores[1]))[0]).toBe(`${seq} of ${winner}`)
  }
  expect(await found(stores[0], { limit: 100 })).toHaveLength(20)
})

test('a connection that is cut during a write writes nothing twice, and its process is told that it wrote', async () => {
  await using proxy = await losingProxy(Number(new URL(server.url).port))
  const url = new URL(server.url)
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  const store = await open({ schema: 'cut', url: url.href })
  const kept = missive('kept once')
  const lost = proxy.loseAnswerTo(/kept once/)
  expect(await store.write('sess_1', 0, { seq: 1, state: {} }, [{ kind: 'missive', missive: kept }])).toBe(true)
  await lost
  expect(await found(await open({ schema: 'cut' }))).toEqual(['kept once'])
  await store.close()
})
