import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { SimulatedClock, simulatedRuntime, type Runtime } from '@cool-ai/beach-core'
import { Conflict, type Live, type StoredEvent } from '@cool-ai/beach-core/ports'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { prepareDatabase } from './schema.ts'
import { SqliteStore } from './sqlite-store.ts'

const hourMs = 60 * 60 * 1_000
const forever = new AbortController().signal
// What schema 4 has added.
const withoutTimes =
  'ALTER TABLE wake DROP COLUMN since; ALTER TABLE lease DROP COLUMN ms; ALTER TABLE key DROP COLUMN at'

let folder: string
let path: string
let stores: SqliteStore[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beach-sqlite-'))
  path = join(folder, 'beach.db')
  stores = []
})

afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()))
  rmSync(folder, { recursive: true, force: true })
})

/** A connection of its own to the file: to the others it is what another process would be. */
async function open(runtime?: Runtime): Promise<SqliteStore> {
  const store = await SqliteStore.open({ path, ...(runtime && { runtime }) })
  stores.push(store)
  return store
}

test('the store keeps every acknowledged append through kill -9, and no lease of a killed process', async () => {
  const acknowledged = new Map<string, number[]>()
  for (let round = 0; round < 3; round++) {
    for (const [session, seq] of await appendUntilKilled(400)) {
      acknowledged.set(session, [...(acknowledged.get(session) ?? []), seq])
    }
    const store = await open()
    for (const [session, seqs] of acknowledged) {
      const stored = (await store.read(session, 0)).map((event) => event.seq)
      expect(stored).toEqual(stored.toSorted((one, other) => one - other))
      expect(new Set(stored)).toEqual(new Set([...seqs, ...stored]))
    }
    if (process.platform === 'linux') expect((await store.claim(1, forever))?.session).toBe('held')
    await store.close()
  }
})

/** Runs the appender until it has acknowledged `count` appends, then kills it; what it had printed by then. */
async function appendUntilKilled(count: number): Promise<[string, number][]> {
  const script = fileURLToPath(new URL('appender.test-helper.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@cool-ai/source', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: [string, number][] = []
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  for await (const line of createInterface({ input: child.stdout })) {
    const [session = '', seq] = line.split(' ')
    lines.push([session, Number(seq)])
    if (lines.length === count) child.kill('SIGKILL')
  }
  await exited
  return lines
}

test('the store lets two processes append to one session, and shows a third everything once', async () => {
  const [one, two, reader] = [await open(), await open(), await open()]
  const end = new AbortController()
  const seen: number[] = []
  const reading = (async () => {
    for await (const items of reader.tail('s', 0, end.signal)) {
      seen.push(...items.map((item) => (item as StoredEvent).seq))
      if (seen.length === 200) break
    }
  })()
  await Promise.all([appendMany(one, 100), appendMany(two, 100)])
  await reading
  expect(seen).toEqual((await one.read('s', 0)).map((event) => event.seq))
})

async function appendMany(store: SqliteStore, count: number): Promise<void> {
  let head = 0
  for (let done = 0; done < count;) {
    try {
      head = await store.append('s', head, [{ done }])
      done++
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      head = error.head
    }
  }
}

test('the store knows at once what another process has written since', async () => {
  const [one, two] = [await open(), await open()]
  const first = await one.append('s', 0, ['one'])
  const second = await two.append('s', first, ['two'])
  expect(second).toBe(first + 1)
  await expect(one.append('s', first, ['late'])).rejects.toMatchObject({ head: second })
  expect(await two.append('new', 0, ['three'])).toBe(second + 1)
  await expect(one.append('new', 0, ['late'])).rejects.toMatchObject({ head: second + 1 })
  expect(await one.append('s', second, ['four'])).toBe(second + 2)
  await two.drop('s')
  expect(await one.append('s', 0, ['five'])).toBeGreaterThan(second + 2)
  expect(await two.read('s', 0)).toHaveLength(1)
})

test('the store gives each due session to one of two processes', async () => {
  const [one, two] = [await open(), await open()]
  const sessions = Array.from({ length: 40 }, (_, index) => `s${index}`)
  await Promise.all(sessions.map((session) => one.wake(session)))
  const end = new AbortController()
  const claimed: string[] = []
  const claimAll = async (store: SqliteStore) => {
    for (;;) {
      const lease = await store.claim(60_000, end.signal)
      if (lease === undefined) return
      claimed.push(lease.session)
      if (claimed.length === sessions.length) end.abort()
    }
  }
  await Promise.all([claimAll(one), claimAll(two)])
  expect(claimed.toSorted()).toEqual(sessions.toSorted())
})

test('wakes a claimer in another process', async () => {
  const [one, two] = [await open(), await open()]
  const claim = two.claim(10_000, new AbortController().signal)
  await one.append('s', 0, [{ n: 1 }], Date.now())
  expect((await claim)?.session).toBe('s')
})

test('carries live frames between processes, both ways, and keeps none', async () => {
  const [one, two] = [await open(), await open()]
  const end = new AbortController()
  const answering = (async () => {
    for await (const items of two.tail('s', 0, end.signal)) {
      if (items.some((item) => (item as Live).live === 'question')) two.publish('s', 'answer')
    }
  })()
  const got: unknown[] = []
  // Frames may be lost, for instance before the processes know of each other: a follower that needs one asks again.
  const ask = setInterval(() => one.publish('s', 'question'), 20)
  for await (const items of one.tail('s', 0, end.signal)) {
    got.push(...items.map((item) => (item as Live).live))
    if (got.includes('answer')) break
  }
  clearInterval(ask)
  end.abort()
  await answering
  expect(await one.read('s', 0)).toEqual([])
})

test('carries live frames to a process that has been silent for long', async () => {
  const runtime = simulatedRuntime()
  const [one, two] = [await open(runtime), await open(runtime)]
  await runtime.clock.advance(20_000)
  // By what another process writes it is noticed who is there.
  await two.append('another', 0, [{ n: 1 }])
  await runtime.clock.advance(100)
  const frames = two.tail('s', 0)[Symbol.asyncIterator]()
  const got = frames.next()
  one.publish('s', 'still there?')
  // The writes are real, and only the time is not.
  await one.append('other', 0, [{ n: 1 }])
  await runtime.clock.advance(100)
  expect(await Promise.race([got, Promise.resolve({ value: 'nothing' })])).toMatchObject({
    value: [{ live: 'still there?' }],
  })
  await frames.return?.()
})

test('the store waits for a lock of another process without blocking the event loop', async () => {
  const store = await open()
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  let done = false
  const appended = store.append('s', 0, [{ n: 1 }]).finally(() => {
    done = true
  })
  for (let turns = 0; turns < 1_000; turns++) await new Promise((resolve) => setImmediate(resolve))
  expect(done).toBe(false)
  expect(await store.read('s', 0)).toEqual([])
  other.exec('COMMIT')
  other.close()
  expect(await appended).toBeGreaterThan(0)
})

test('the store does not let one write that fails take the others of its group with it', async () => {
  const store = await open()
  const results = await Promise.allSettled([
    store.append('a', 0, [{ n: 1 }]),
    // SQLite has no such integer: the write fails inside the transaction.
    store.wake('b', Number.NaN),
    store.append('c', 0, [{ n: 1 }]),
  ])
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await store.read('a', 0)).toHaveLength(1)
})

test('the store refuses a file of another schema version with a sentence that says what to do', async () => {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA user_version = 99')
  db.close()
  await expect(open()).rejects.toThrow(/schema 99.*another data folder/s)
})

test('the store leaves a file alone that a later version of this program makes in the moment of the opening', () => {
  const [db, other] = [new DatabaseSync(path), new DatabaseSync(path)]
  const exec = db.exec.bind(db)
  vi.spyOn(db, 'exec').mockImplementation((sql) => {
    if (sql === 'BEGIN IMMEDIATE') other.exec('PRAGMA user_version = 99')
    exec(sql)
  })
  expect(() => prepareDatabase(db, 0)).toThrow(/schema 99/)
  expect(other.prepare('PRAGMA user_version').get()).toEqual({ user_version: 99 })
  db.close()
  other.close()
})

test('the store goes on with a file of the first schema, where each event had a row of its own', async () => {
  const db = new DatabaseSync(path)
  db.exec(`
    CREATE TABLE event (seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, data TEXT NOT NULL) STRICT;
    CREATE INDEX event_session ON event (session);
    CREATE TABLE wake (session TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX wake_at ON wake (at);
    CREATE TABLE lease (session TEXT PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX lease_until ON lease (until);
    CREATE TABLE key (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE snapshot (session TEXT PRIMARY KEY, seq INTEGER NOT NULL, fold_version INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
    CREATE TABLE neighbour (id TEXT PRIMARY KEY, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE live (n INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT NOT NULL, session TEXT NOT NULL, data TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
    INSERT INTO event (session, data) VALUES ('a', '{"n":1}'), ('b', '{"n":2}'), ('a', '{"n":3}'), ('gone', '{"n":4}');
    DELETE FROM event WHERE session = 'gone';
    INSERT INTO key VALUES ('k', 'v');
    PRAGMA user_version = 1;
  `)
  db.close()
  const store = await open()
  expect(await store.read('a', 0)).toEqual([
    { seq: 1, data: { n: 1 } },
    { seq: 3, data: { n: 3 } },
  ])
  expect(await store.read('b', 0)).toEqual([{ seq: 2, data: { n: 2 } }])
  expect(await store.bind('k', 'other')).toBe('v')
  // The seq of what was dropped is not given again.
  expect(await store.append('b', 2, [{ n: 5 }, { n: 6 }])).toBe(6)
  await expect(store.append('a', 1, [{ n: 7 }])).rejects.toThrow(Conflict)
  expect((await store.read('b', 5)).map(({ data }) => data)).toEqual([{ n: 6 }])
})

test('the store goes on with a file of the second schema, where leases had an index', async () => {
  const before = await SqliteStore.open({ path })
  await before.append('a', 0, [{ n: 1 }], 0)
  await before.close()
  const db = new DatabaseSync(path)
  db.exec(`${withoutTimes}; CREATE INDEX lease_until ON lease (until); PRAGMA user_version = 2`)
  db.close()
  const store = await open()
  expect((await store.claim(1_000, new AbortController().signal))?.session).toBe('a')
  const names = new DatabaseSync(path, { readOnly: true }).prepare('SELECT name FROM sqlite_schema').all()
  expect(names.map(({ name }) => name)).not.toContain('lease_until')
})

test('the store goes on with a file of the third schema, where the length of a lease was not on record', async () => {
  const runtime = simulatedRuntime()
  const before = await SqliteStore.open({ path, runtime })
  await before.wake('held')
  await before.claim(10_000, forever)
  await before.wake('woken', runtime.clock.now() + 60_000)
  await before.close()
  const db = new DatabaseSync(path)
  db.exec(`${withoutTimes}; PRAGMA user_version = 3`)
  db.close()
  const store = await SqliteStore.open({ path, runtime })
  stores.push(store)
  const sessions: (string | undefined)[] = []
  void store.claim(100_000, forever).then((lease) => sessions.push(lease?.session))
  void store.claim(100_000, forever).then((lease) => sessions.push(lease?.session))
  await runtime.clock.advance(9_999)
  expect(sessions).toEqual([])
  await runtime.clock.advance(1)
  expect(sessions).toEqual(['held'])
  await runtime.clock.advance(50_000)
  expect(sessions).toEqual(['held', 'woken'])
})

for (const ahead of ['an hour', 'ten years'] as const) {
  test(`a process that starts with its clock set back by ${ahead} frees what a killed one has left behind`, async () => {
    const then = simulatedRuntime()
    const back = ahead === 'an hour' ? hourMs : 10 * 365 * 24 * hourMs
    const killed = await SqliteStore.open({ path, runtime: then })
    stores.push(killed)
    await killed.wake('held')
    await killed.claim(10_000, forever)
    await killed.wake('retried', then.clock.now() + 2_000)
    await killed.wake('due')
    await killed.wake('next month', then.clock.now() + 30 * 24 * hourMs)
    const now = simulatedRuntime({ clock: new SimulatedClock(then.clock.now() - back) })
    const store = await SqliteStore.open({ path, runtime: now })
    stores.push(store)
    const sessions: (string | undefined)[] = []
    for (let count = 0; count < 4; count++) {
      void store.claim(100_000_000, forever).then((lease) => sessions.push(lease?.session))
    }
    await now.clock.advance(9_999)
    // The far one is looked at too when the clock was ahead by more than it was to wait: its log says when it is due.
    const early = ahead === 'an hour' ? [] : ['next month']
    expect(new Set(sessions)).toEqual(new Set(['due', ...early, 'retried']))
    await now.clock.advance(1)
    expect(sessions).toContain('held')
  })
}

test('the store goes on with a file of the third schema, where keys had no time: they count from the opening', async () => {
  const before = await SqliteStore.open({ path })
  await before.bind('k', 'v')
  await before.close()
  const db = new DatabaseSync(path)
  db.exec(`${withoutTimes}; PRAGMA user_version = 3`)
  db.close()
  const opened = Date.now()
  const store = await open()
  const [found] = await store.list('k')
  expect(found).toMatchObject({ key: 'k', value: 'v' })
  expect(found?.at).toBeGreaterThanOrEqual(opened)
})

test('the store gives no seq twice, also when the last events are dropped', async () => {
  const store = await open()
  const last = await store.append('a', 0, [{ n: 1 }, { n: 2 }])
  await store.drop('a')
  const next = await store.append('a', 0, [{ n: 3 }])
  expect(next).toBeGreaterThan(last)
  await store.drop('a')
  await store.drop('a')
  expect(await store.append('b', 0, [{ n: 4 }])).toBeGreaterThan(next)
})

test('puts others in place of single events of an append', async () => {
  const store = await open()
  const head = await store.append('a', 0, [{ n: 1 }, { n: 2 }, { n: 3 }])
  await store.erase('a', [
    { seq: head - 1, data: { gone: true } },
    { seq: head + 5, data: { gone: true } },
  ])
  expect((await store.read('a', 0)).map(({ data }) => data)).toEqual([{ n: 1 }, { gone: true }, { n: 3 }])
  expect((await store.read('a', head - 1)).map(({ data }) => data)).toEqual([{ n: 3 }])
  expect((await store.read('a', 0, 2)).map(({ data }) => data)).toEqual([{ n: 1 }, { gone: true }])
})

test('a connection syncs what it writes, however SQLite was built or the connection was used before', () => {
  const db = new DatabaseSync(path)
  try {
    db.exec('PRAGMA synchronous = OFF')
    prepareDatabase(db, 0)
    // 2: FULL
    expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
  } finally {
    db.close()
  }
})
