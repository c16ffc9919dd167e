import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { isBeachError, systemRuntime, type Clock, type Runtime } from '@cool-ai/beach-core'
import { SessionLog, type EventDraft } from '@cool-ai/beach-core/log'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore, type LiveBus } from '@cool-ai/beach-session/postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { following } from '../support/following.ts'
import { losingProxy } from '../support/losing-proxy.ts'
import { newDatabase } from '../support/postgres.ts'

let server: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  server = await newDatabase()
})
afterAll(() => server[Symbol.asyncDispose]())

let schemas = 0
const never = new AbortController().signal
const quiet = { log() {} }

/** No heartbeat and no look at the heads ever comes: only notifications tell. */
function withoutTimers(): Runtime {
  const runtime = systemRuntime({ logger: quiet })
  return { ...runtime, clock: { ...runtime.clock, timer: () => () => {} } }
}

interface ProcessOptions {
  readonly runtime?: Runtime
  readonly liveBus?: LiveBus
  readonly url?: string
}

/**
 * Stores as separate processes have them: each with its own connections. The last to open knows of the others at once,
 * the others hear of it a moment later: the one that tells others something opens last.
 */
function processes() {
  const schema = `processes_${schemas++}`
  return async (options: ProcessOptions = {}) => {
    const { runtime = withoutTimers(), liveBus, url = server.url } = options
    const database = await PostgresDatabase.open({ url, schema, runtime })
    const store = await PostgresStore.open({ database, runtime, liveBus })
    onTestFinished(() => store.close())
    return { store, database, runtime }
  }
}

/** Waits for something in the database that no event tells. */
async function eventually(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await wait(5)
}

/** How many followers are on record. */
async function followersOf(schema: string): Promise<number | null> {
  return (await server.query(`SELECT FROM ${schema}.follower`)).rowCount
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => ({ n: index + 1 }))

test('a follower in one process gets what another process appends, in order and once', async () => {
  const open = processes()
  const [other, one] = [await open(), await open()]
  const seen = following(other.store, 's')
  let head = 0
  for (const event of numbers(50)) head = await one.store.append('s', head, [event])
  await seen.until(() => seen.events.length >= 50)
  expect(seen.events.map(({ data }) => data)).toEqual(numbers(50))
})

test('live text of the process that has the lease reaches a follower elsewhere, however long a frame is', async () => {
  const open = processes()
  const [host, elsewhere] = [await open(), await open()]
  const { head } = await host.store.appendAndClaim('s', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 10_000 })
  const seen = following(elsewhere.store, 's', head)
  const long = '🏖️é"\\'.repeat(30_000)
  await eventually(async () => {
    host.store.publish('s', { text: 'first' })
    return seen.live.length > 0
  })
  host.store.publish('s', { text: long })
  await seen.until(() => seen.live.some((live) => (live as { text: string }).text === long))
  expect((await elsewhere.store.read('s', 0)).length).toBe(2)
})

test('what a process without the lease publishes reaches the one that has it', async () => {
  const open = processes()
  const [host, elsewhere] = [await open(), await open()]
  const { head } = await host.store.appendAndClaim('s', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 10_000 })
  const seen = following(host.store, 's', head)
  elsewhere.store.publish('s', { kind: 'ask' })
  await seen.until(() => seen.live.length > 0)
  expect(seen.live).toEqual([{ kind: 'ask' }])
})

test('a process that begins to follow while its host looks for followers gets live text', async () => {
  const open = processes()
  const [elsewhere, host] = [await open(), await open()]
  const { head } = await host.store.appendAndClaim('s', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 10_000 })
  await host.database.idle()
  // The answer to its question for followers is on its way for a while.
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const write = host.database.write.bind(host.database)
  host.database.write = async (statement, ...rest) => {
    const written = await write(statement, ...rest)
    if (statement.name !== 'session.announce') return written
    ask()
    await held
    return written
  }
  await host.store.append('s', head, [{ n: 3 }])
  await asked
  const seen = following(elsewhere.store, 's', head)
  await eventually(async () => {
    host.store.publish('s', { text: 'before' })
    return seen.live.length > 0
  })
  letGo()
  await host.database.idle()
  await new Promise((resolve) => setImmediate(resolve))
  host.store.publish('s', { text: 'after' })
  await seen.until(() => seen.live.some((live) => (live as { text: string }).text === 'after'))
})

test('a follower whom the host has not seen gets live text once it has asked for it', async () => {
  const open = processes()
  const host = await open()
  const { head } = await host.store.appendAndClaim('s', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 10_000 })
  const elsewhere = await open()
  // It goes on record after the host has looked, and when it looked itself the lease was not there yet.
  const write = elsewhere.database.write.bind(elsewhere.database)
  elsewhere.database.write = async (statement, values, ...rest) => {
    if (statement.name !== 'session.follow') return write(statement, values, ...rest)
    const { schema } = host.database
    await server.query(`INSERT INTO ${schema}.follower (session, process) VALUES ('s', $1)`, [values[1]])
    return { rows: [], isRepeated: false }
  }
  const [seen, asked] = [following(elsewhere.store, 's', head), following(host.store, 's', head)]
  await eventually(async () => (await followersOf(host.database.schema)) === 1)
  elsewhere.store.publish('s', { kind: 'ask' })
  await asked.until(() => asked.live.length > 0)
  await eventually(async () => {
    host.store.publish('s', { text: 'again' })
    return seen.live.length > 1
  })
  expect(seen.live.slice(0, 2)).toEqual([{ kind: 'ask' }, { text: 'again' }])
})

test('what a host publishes while it looks for followers reaches those that it finds', async () => {
  const open = processes()
  const [elsewhere, host] = [await open(), await open()]
  const seen = following(elsewhere.store, 's')
  await eventually(async () => (await followersOf(host.database.schema)) === 1)
  await host.store.appendAndClaim('s', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 10_000 })
  host.store.publish('s', { text: 'at once' })
  await seen.until(() => seen.live.length > 0)
  expect(seen.live).toEqual([{ text: 'at once' }])
})

test('no live text is sent while no other process follows the session', async () => {
  const sent: string[] = []
  const liveBus: LiveBus = {
    listen: async () => {},
    send: async (_, message) => void sent.push(message),
    close: async () => {},
  }
  const open = processes()
  const elsewhere = await open()
  const host = await open({ liveBus })
  const announced = vi.spyOn(host.database, 'write')
  const { head } = await host.store.appendAndClaim('s', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 10_000 })
  const here = following(host.store, 's', head)
  // Its question who follows the session is answered: with no process.
  await eventually(async () => announced.mock.calls.some(([{ name }]) => name === 'session.announce'))
  await host.database.idle()
  await new Promise((resolve) => setImmediate(resolve))
  host.store.publish('s', { text: 'for nobody elsewhere' })
  const there = following(elsewhere.store, 's', head)
  await eventually(async () => {
    host.store.publish('s', { text: 'for the follower' })
    return sent.length > 0
  })
  expect(sent.join()).not.toContain('for nobody elsewhere')
  expect(here.live).toContainEqual({ text: 'for nobody elsewhere' })
  expect(there.live).toEqual([])
})

test('a wake that no claimer of its own process waits for is claimed by another process at once', async () => {
  const open = processes()
  const [other, one] = [await open(), await open()]
  const claim = other.store.claim(10_000, never)
  await other.database.idle()
  await one.store.append('s', 0, [{ n: 1 }], one.runtime.clock.now())
  expect((await claim)?.session).toBe('s')
})

test('one of many processes gets a session, and when it is silent the next one gets it after the lease', async () => {
  const open = processes()
  const many = await Promise.all(Array.from({ length: 4 }, () => open({ runtime: systemRuntime({ logger: quiet }) })))
  const claims = many.map(({ store }) => store.claim(700, never))
  await many[0]?.store.wake('s')
  const first = await Promise.race(claims)
  const second = await Promise.race(
    claims.map(async (claim) => {
      const lease = await claim
      return lease === first ? new Promise<never>(() => {}) : lease
    }),
  )
  expect(second?.session).toBe('s')
  expect(await first?.renew()).toBe(false)
  expect(await second?.renew()).toBe(true)
})

test('a follower loses and repeats nothing when its connection for notifications is cut again and again', async () => {
  const open = processes()
  const [one, other] = [await open(), await open()]
  const seen = following(other.store, 's')
  let head = 0
  for (const event of numbers(60)) {
    head = await one.store.append('s', head, [event])
    if ((event.n ?? 0) % 10 === 0) await cut(`query LIKE 'LISTEN%' OR query LIKE '%clock_timestamp%'`)
  }
  await seen.until(() => seen.events.length >= 60)
  expect(seen.events.map(({ data }) => data)).toEqual(numbers(60))
})

test('a follower gets what was appended while its process could not reach the database', async () => {
  const open = processes()
  const port = Number(new URL(server.url).port)
  const proxy = await losingProxy(port)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const other = await open({ url: through(proxy) })
  const one = await open()
  const seen = following(other.store, 's')
  await one.store.append('s', 0, [{ n: 1 }])
  await seen.until(() => seen.events.length === 1)
  proxy.leadTo(1)
  await one.store.append('s', 1, [{ n: 2 }])
  proxy.leadTo(port)
  await seen.until(() => seen.events.length === 2)
})

function through({ port }: { readonly port: number }): string {
  const url = new URL(server.url)
  url.port = String(port)
  return url.href
}

test('commits are made once though all connections are cut again and again', async () => {
  const open = processes()
  const { store, runtime } = await open()
  const log = new SessionLog({ store, runtime, slices: [] })
  const sessions = Array.from({ length: 8 }, (_, index) => `s${index}`)
  const done = new AbortController()
  const cutting = (async () => {
    for (let round = 0; !done.signal.aborted; round++) await cut(`application_name LIKE 'beach%'`)
  })()
  const opened = (tenant: string): EventDraft => ({ type: 'sessionOpened', tenant })
  await Promise.all(
    sessions.map(async (session) => {
      for (let n = 0; n < 40; n++) await log.commit(session, () => [opened(`${n}`)])
    }),
  )
  done.abort()
  await cutting
  for (const session of sessions) {
    const tenants = (await log.read(session, 0)).map(({ event }) => (event as { tenant?: string }).tenant)
    expect(tenants).toEqual(Array.from({ length: 40 }, (_, n) => `${n}`))
  }
})

test('an append and a claim whose answers are lost are not made again, and are known to be made', async () => {
  const open = processes()
  const proxy = await losingProxy(Number(new URL(server.url).port))
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const { store, database } = await open({ url: through(proxy) })
  const flushes = vi.spyOn(database, 'flush')
  // Prepared already: the question has the text of its event in it.
  await store.append('warm', 0, [{ n: 1 }])
  const lost = proxy.loseAnswerTo(/only once/)
  expect(await store.append('s', 0, [{ n: 'only once' }])).toBe(1)
  await lost
  // What broke the connection may have come before the flush.
  expect(flushes).toHaveBeenCalledTimes(1)
  const lostToo = proxy.loseAnswerTo(/also once/)
  const begin = { events: [{ n: 'begun' }], leaseMs: 60_000 }
  const { head, lease } = await store.appendAndClaim('s', 1, [{ n: 'also once' }], begin)
  await lostToo
  expect(head).toBe(3)
  expect(await lease?.renew()).toBe(true)
  expect((await store.read('s', 0)).map(({ data }) => (data as { n: string }).n)).toEqual([
    'only once',
    'also once',
    'begun',
  ])
})

test('a session is begun once, with its lease, though connections are cut', async () => {
  const open = processes()
  const { store } = await open()
  const done = new AbortController()
  const cutting = (async () => {
    while (!done.signal.aborted) await cut(`application_name LIKE 'beach%'`)
  })()
  for (let n = 0; n < 60; n++) {
    const begin = { events: [{ begun: n }], leaseMs: 60_000 }
    const { head, lease } = await store.appendAndClaim(`begun-${n}`, 0, [{ n }], begin)
    expect(lease?.session).toBe(`begun-${n}`)
    expect(head).toBe(2)
    expect((await store.read(`begun-${n}`, 0)).map(({ data }) => data)).toEqual([{ n }, { begun: n }])
  }
  done.abort()
  await cutting
})

test('many sessions of one host are followed at once, and what is appended to them is told', async () => {
  const open = processes()
  const [host, elsewhere] = [await open(), await open()]
  const long = 'x'.repeat(700)
  const sessions = Array.from({ length: 400 }, (_, index) =>
    index % 40 === 0 ? `${long}${index}` : `session_${index}`,
  )
  const begin = { events: [{ n: 2 }], leaseMs: 60_000 }
  await Promise.all(sessions.map((session) => host.store.appendAndClaim(session, 0, [{ n: 1 }], begin)))
  const seen = sessions.map((session) => following(elsewhere.store, session, 2))
  await eventually(async () => (await followersOf(host.database.schema)) === 400)
  await Promise.all(sessions.map((session) => host.store.append(session, 2, [{ n: 3 }])))
  await Promise.all(seen.map((each) => each.until(() => each.events.length === 1)))
  host.store.publish(sessions[399] ?? '', { text: 'live' })
  await seen[399]?.until(() => (seen[399]?.live.length ?? 0) > 0)
})

/** Timers run out much sooner, so that a test need not wait for looks that come every few seconds. */
function withQuickTimers(): Runtime {
  const runtime = systemRuntime({ logger: quiet })
  const timer: Clock['timer'] = (ms, run) => runtime.clock.timer(ms / 50, run)
  return { ...runtime, clock: { ...runtime.clock, timer } }
}

test('a follower gets what was appended though the notification of it is lost', async () => {
  const open = processes()
  const one = await open()
  const other = await open({ runtime: withQuickTimers() })
  const seen = following(other.store, 's')
  await one.store.append('s', 0, [{ n: 1 }])
  await seen.until(() => seen.events.length === 1)
  const write = one.database.write.bind(one.database)
  let isLost = false
  one.database.write = async (statement, ...rest) => {
    if (statement.name !== 'session.announce') return write(statement, ...rest)
    isLost = true
    return { rows: [], isRepeated: false }
  }
  await one.store.append('s', 1, [{ n: 2 }])
  await seen.until(() => seen.events.length === 2)
  expect(isLost).toBe(true)
})

test('a process that others took for gone follows its sessions again', async () => {
  const open = processes()
  const [one, other] = [await open(), await open({ runtime: withQuickTimers() })]
  const { schema } = one.database
  const seen = following(other.store, 's')
  await eventually(async () => (await followersOf(schema)) === 1)
  await server.query(`DELETE FROM ${schema}.process; DELETE FROM ${schema}.follower`)
  await eventually(async () => (await followersOf(schema)) === 1)
  await one.store.append('s', 0, [{ n: 1 }])
  await seen.until(() => seen.events.length === 1)
})

test('the process that has a lease is told of what others append to the session', async () => {
  const open = processes()
  const [host, elsewhere] = [await open(), await open()]
  const { head } = await host.store.appendAndClaim('s', 0, [{ n: 1 }], { events: [{ n: 2 }], leaseMs: 60_000 })
  const seen = following(host.store, 's', head)
  await elsewhere.store.append('s', head, [{ n: 3 }])
  await seen.until(() => seen.events.length === 1)
})

test('a follower where a host has given a session up without a word is told what the next host appends', async () => {
  const open = processes()
  const [failed, next] = [await open({ runtime: withQuickTimers() }), await open({ runtime: withQuickTimers() })]
  const begin = { events: [{ n: 2 }], leaseMs: 100 }
  const { head } = await failed.store.appendAndClaim('s', 0, [{ n: 1 }], begin)
  const seen = following(failed.store, 's', head)
  // The failed host neither renews its lease nor gives it back.
  expect((await next.store.claim(60_000, never))?.session).toBe('s')
  await next.store.append('s', head, [{ n: 3 }])
  await seen.until(() => seen.events.length === 1)
})

async function cut(which: string): Promise<void> {
  await server.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND (${which})`,
  )
  await wait(Math.random() * 20)
}

describe('the clocks of machines', () => {
  const skewed = (ms: number): Runtime => {
    const runtime = systemRuntime({ logger: quiet })
    const clock: Clock = { ...runtime.clock, now: () => Date.now() + ms }
    return { ...runtime, clock }
  }

  test('may differ by hours: a wake for now is due now, and a lease is not taken before its time', async () => {
    const open = processes()
    const [ahead, behind] = [await open({ runtime: skewed(3_600_000) }), await open({ runtime: skewed(-3_600_000) })]
    const claim = behind.store.claim(60_000, never)
    await ahead.store.append('s', 0, [{ n: 1 }], ahead.runtime.clock.now())
    const lease = await claim
    expect(lease?.session).toBe('s')
    const begin = { events: [{ n: 3 }], leaseMs: 1_000 }
    expect((await ahead.store.appendAndClaim('s', 1, [{ n: 2 }], begin)).lease).toBeUndefined()
    expect(await lease?.renew()).toBe(true)
  })
})

describe('a store that is too busy', () => {
  test('refuses writes that are too many to wait, and keeps those it has taken', async () => {
    const open = processes()
    const { store } = await open()
    const writes = Array.from({ length: 5_200 }, (_, index) => store.append(`s${index}`, 0, [{ n: 1 }]))
    const results = await Promise.allSettled(writes)
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const { reason } of refused) expect(isBeachError(reason, 'STORE_BUSY')).toBe(true)
    for (const [index, { status }] of results.entries()) {
      if (index % 97 === 0) expect((await store.read(`s${index}`, 0)).length).toBe(status === 'fulfilled' ? 1 : 0)
    }
  })

  test('says so when a lock is not free in time, and writes nothing', async () => {
    const open = processes()
    const { store, database } = await open({ url: `${server.url}?lock_timeout=100` })
    await store.append('s', 0, [{ n: 1 }])
    await server.query('BEGIN')
    await server.query(`LOCK TABLE ${database.schema}.event IN ACCESS EXCLUSIVE MODE`)
    await expect(store.append('s', 1, [{ n: 2 }])).rejects.toMatchObject({ code: 'STORE_BUSY' })
    await server.query('ROLLBACK')
    expect(await store.append('s', 1, [{ n: 3 }])).toBe(2)
    expect((await store.read('s', 0)).map(({ data }) => data)).toEqual([{ n: 1 }, { n: 3 }])
  })

  test('waits for a connection of the pool, and reads when one is free', async () => {
    const open = processes()
    const { store, database } = await open({ url: `${server.url}?connections=1` })
    await store.append('s', 0, [{ n: 1 }])
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const holding = database.transaction(async () => {
      begin()
      await held
    })
    await begun
    const reads = Promise.all(Array.from({ length: 20 }, () => store.read('s', 0)))
    // Writes have connections of their own.
    expect(await store.append('s', 1, [{ n: 2 }])).toBe(2)
    letGo()
    await holding
    for (const events of await reads) expect(events.length).toBeGreaterThan(0)
  })
})

test('an address that names a file which is not there is refused with the name of the file', async () => {
  const url = 'postgres://me@127.0.0.1:1/none?sslmode=verify-full&sslrootcert=/nowhere/ca.pem'
  await expect(PostgresDatabase.open({ url })).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining('/nowhere/ca.pem') as string,
  })
})

test('a server that cannot be reached at the start is an error that says so, without the password', async () => {
  const opening = PostgresDatabase.open({ url: 'postgres://me:secret@127.0.0.1:1/none' })
  const message = expect.stringContaining('connect ECONNREFUSED 127.0.0.1:1') as string
  await expect(opening).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message })
  const error = await opening.catch((thrown: unknown) => thrown)
  expect(inspect(error, { depth: 5 })).not.toContain('secret')
})
