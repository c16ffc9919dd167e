import { silentLogger, SimulatedClock, simulatedRuntime, systemRuntime } from '@cool-ai/beach-core'
import { storeContract } from '@cool-ai/beach-core/contracts'
import { Conflict } from '@cool-ai/beach-core/ports'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultyProxy, type FaultyProxy } from '../support/faulty-proxy.ts'
import { losingProxy } from '../support/losing-proxy.ts'
import { PostgresServer } from '../support/postgres-server.ts'
import { settled } from '../support/settled-database.ts'
import { following } from '../support/following.ts'

// A server of its own, which the tests restart.
const signals = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const
let server: PostgresServer
let proxy: FaultyProxy
let restarts = 0
beforeAll(async () => {
  server = await PostgresServer.start()
  proxy = await faultyProxy({
    port: server.port,
    onRestart: () => server.restart(signals[restarts++ % signals.length]),
  })
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const through = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
const runtime = systemRuntime({ logger: silentLogger })

// A restart takes most of a second: some promises in `npm test`, all of them in `npm run faults`.
const promises = storeContract.filter((_, index) => process.env.BEACH_FAULTS === 'all' || index % 6 === 1)

describe('while the server restarts, the PostgreSQL store', () => {
  test.each(promises.map((promise, index) => [promise.name, promise, index] as const))('%s', async (_, promise, n) => {
    let database: PostgresDatabase | undefined
    const clock = new SimulatedClock(undefined, () => settled(database))
    const simulated = simulatedRuntime({ clock })
    const settings = { url: through(proxy.port), schema: `restarts_${n}`, runtime: simulated } as const
    database = await PostgresDatabase.open({ ...settings, time: 'runtime' })
    const store = await PostgresStore.open({ database, runtime: simulated })
    try {
      proxy.plan((statement) => (statement === n % 5 ? 'restart' : undefined))
      await promise.run({ runtime: simulated, store })
    } finally {
      proxy.plan(() => undefined)
      await store.close()
    }
  })
})

async function opened(port: number, schema: string): Promise<PostgresStore & AsyncDisposable> {
  const database = await PostgresDatabase.open({ url: through(port), schema, runtime })
  const store = await PostgresStore.open({ database, runtime })
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}

/** Appends numbers one after the other, for as long as it is not told to stop. */
function counting(store: PostgresStore, session: string) {
  const acknowledged: number[] = []
  const end = new AbortController()
  const run = async () => {
    for (let head = 0, n = 1; !end.signal.aborted;) {
      try {
        head = await store.append(session, head, [{ n }])
        acknowledged.push(n++)
      } catch (error) {
        if (!(error instanceof Conflict)) {
          expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' })
          // It may be refused at once: the store reconnects meanwhile.
          await new Promise((resolve) => setImmediate(resolve))
          continue
        }
        // An attempt whose outcome was unknown had taken effect.
        head = error.head
        expect(valuesOf(await store.read(session, head - 1))).toEqual([n])
        acknowledged.push(n++)
      }
    }
  }
  const running = run()
  const until = async (count: number) => {
    while (acknowledged.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  const stop = async () => {
    end.abort()
    await running
    return acknowledged
  }
  return { until, stop, acknowledged }
}

const valuesOf = (items: readonly { readonly data: unknown }[]) => items.map(({ data }) => (data as { n: number }).n)

// The two below use servers of which the other knows nothing, and wait most of the time.
test.concurrent('appends and tails go on at a standby that becomes the primary, and lose and repeat nothing', async (context) => {
  await using primary = await PostgresServer.start({
    max_connections: '100',
    fsync: 'off',
    wal_level: 'replica',
    synchronous_standby_names: 'standby',
  })
  await using standby = await primary.standby('standby')
  await using switching = await losingProxy(primary.port)
  await using writer = await opened(switching.port, 'failover')
  await using reader = await opened(switching.port, 'failover')
  const seen = following(reader, 's', 0, context.onTestFinished)
  const writing = counting(writer, 's')
  await writing.until(20)
  // The address leads to the standby before that is the primary: it must not be read from, nor written to for ever.
  switching.leadTo(standby.port)
  await primary.stop('SIGKILL')
  await expect(reader.check()).rejects.toMatchObject({ message: expect.stringContaining('takes no writes') as string })
  await standby.promote()
  await writing.until(writing.acknowledged.length + 20)
  const acknowledged = await writing.stop()
  await seen.until(() => seen.events.length >= acknowledged.length)
  expect(valuesOf(seen.events)).toEqual(acknowledged)
  expect(valuesOf(await writer.read('s', 0))).toEqual(acknowledged)
}, 120_000)

async function connected(): Promise<Client> {
  const client = new Client(server.url())
  await client.connect()
  return client
}

test.concurrent('a primary that is set to read only is left, though its connections stay', async (context) => {
  await using store = await opened(server.port, 'read_only')
  const head = await store.append('s', 0, [{ n: 1 }])
  await store.read('s', 0)
  const setReadOnly = async (value: 'on' | 'off') => {
    const client = await connected()
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`)
    await client.query('SELECT pg_reload_conf()')
    await client.end()
    // When new connections have the setting, the others have been told of it.
    const current = async () => {
      const fresh = await connected()
      const { rows } = await fresh.query('SHOW default_transaction_read_only')
      await fresh.end()
      return (rows as { default_transaction_read_only: string }[])[0]?.default_transaction_read_only
    }
    await context.expect.poll(current, { timeout: 30_000 }).toBe(value)
  }
  await setReadOnly('on')
  try {
    const unavailable = { code: 'STORE_UNAVAILABLE' }
    const takesNone = { ...unavailable, message: expect.stringContaining('takes no writes') as string }
    // A connection learns of it with the answer to its next question.
    const read = () => store.read('s', 0).catch((error: unknown) => error)
    const writing = store.append('s', head, [{ n: 2 }]).catch((error: unknown) => error)
    await context.expect.poll(read, { timeout: 30_000 }).toMatchObject(takesNone)
    expect(await writing).toMatchObject(unavailable)
  } finally {
    await setReadOnly('off')
  }
  // Until a write gets through others are refused.
  await context.expect.poll(() => store.check().then(() => 'ready', String), { timeout: 30_000 }).toBe('ready')
  expect(await store.append('s', head, [{ n: 3 }])).toBe(2)
  expect(valuesOf(await store.read('s', 0))).toEqual([1, 3])
}, 120_000)
