import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openData, type BeachData } from '@cool-ai/beach'
import { createLogger, systemRuntime } from '@cool-ai/beach-core'
import { openSqlite } from '@cool-ai/beach-core/sqlite'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'

let parent: string
let folder: string
let lines: string[]
let opened: BeachData[]

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'beach-lost-'))
  folder = join(parent, 'data')
  lines = []
  opened = []
})

afterEach(async () => {
  for (const { store, missives } of opened) {
    await store.close()
    await missives.store.close()
    await missives.identities.close()
  }
  rmSync(parent, { recursive: true, force: true })
})

async function open(): Promise<BeachData> {
  const logger = createLogger({ write: (line) => void lines.push(line) })
  const data = await openData({ folder, runtime: systemRuntime({ logger }) })
  opened.push(data)
  return data
}

const lost = { code: 'STORE_LOST', status: 503 }

const accidents: Readonly<Record<string, () => void>> = {
  'the data folder is removed': () => rmSync(folder, { recursive: true }),
  'the data folder is moved': () => renameSync(folder, `${folder}-moved`),
  'beach.db is removed': () => rmSync(join(folder, 'beach.db')),
  'beach.db is moved': () => renameSync(join(folder, 'beach.db'), join(folder, 'old.db')),
  'beach.db is replaced by a copy': () => {
    cpSync(join(folder, 'beach.db'), join(folder, 'copy.db'))
    renameSync(join(folder, 'copy.db'), join(folder, 'beach.db'))
  },
  'beach.db is emptied': () => truncateSync(join(folder, 'beach.db')),
  'the journal is removed': () => rmSync(join(folder, 'beach.db-wal')),
  'the index of the journal is removed': () => rmSync(join(folder, 'beach.db-shm')),
}

test.for(Object.entries(accidents))('when %s, nothing is acknowledged any more', async ([, happen]) => {
  const { store } = await open()
  const head = await store.append('s', 0, [{ n: 1 }])
  happen()
  await expect(store.append('s', head, [{ n: 2 }])).rejects.toMatchObject(lost)
  await expect(store.bind('k', 'v')).rejects.toMatchObject(lost)
  await expect(store.wake('s')).rejects.toMatchObject(lost)
  await expect(store.claim(1_000, new AbortController().signal)).rejects.toMatchObject(lost)
  await expect(store.read('s', 0)).rejects.toMatchObject(lost)
  await expect(store.check?.()).rejects.toMatchObject(lost)
  expect(lines.filter((line) => line.includes('removed, moved or replaced'))).toHaveLength(1)
})

test.for([
  ['beach.db', 0],
  ['beach.db', 1],
  ['missives.db', 0],
  ['missives.db', 1],
] as const)(
  'when the journal of %s is cut off to %d pages, nothing is acknowledged any more',
  async ([file, pages]) => {
    const { store, missives } = await open()
    // While another program reads, what is written stays in the journal.
    const reader = new DatabaseSync(join(folder, file), { readOnly: true })
    reader.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    let writes = 0
    const write = async () => {
      if (file === 'beach.db') await store.bind(`k${writes++}`, 'v')
      else await missives.store.check?.()
    }
    await write()
    truncateSync(join(folder, `${file}-wal`), pages * (4_096 + 24))
    await expect(write()).rejects.toMatchObject(lost)
    await expect(write()).rejects.toMatchObject(lost)
    expect(lines.filter((line) => line.includes('was cut off'))).toHaveLength(1)
    reader.close()
  },
)

test('the file keeps what was in it when its journal was cut off, and the next start says that something may be missing', async () => {
  const { store } = await open()
  const first = await store.append('s', 0, [{ n: 1 }])
  await store.erase('s', [])
  const reader = new DatabaseSync(join(folder, 'beach.db'), { readOnly: true })
  reader.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
  const second = await store.append('s', first, [{ n: 2 }])
  truncateSync(join(folder, 'beach.db-wal'))
  await expect(store.append('s', second, [{ n: 3 }])).rejects.toMatchObject(lost)
  reader.close()
  await store.close()
  const { store: next } = await open()
  expect((await next.read('s', 0)).map(({ data }) => data)).toEqual([{ n: 1 }])
  expect(lines.filter((line) => line.includes('the journal of the database is gone'))).toHaveLength(1)
})

test('when a page at the end of beach.db is cut off, nothing is acknowledged any more', async () => {
  const { store } = await open()
  const head = await store.append('s', 0, [{ n: 1 }])
  await store.erase('s', [])
  truncateSync(join(folder, 'beach.db'), statSync(join(folder, 'beach.db')).size - 4_096)
  await expect(store.append('s', head, [{ n: 2 }])).rejects.toMatchObject({ code: 'STORE_DAMAGED', status: 503 })
  await expect(store.read('s', 0)).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
})

test('a file that another program has made smaller, as VACUUM does, is no damage', async () => {
  const { store } = await open()
  await store.append('s', 0, [{ text: 'x'.repeat(200_000) }])
  await store.drop('s')
  await store.erase('s', [])
  const size = () => statSync(join(folder, 'beach.db')).size
  const before = size()
  const other = new DatabaseSync(join(folder, 'beach.db'))
  other.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  other.close()
  expect(size()).toBeLessThan(before)
  expect(await store.append('t', 0, [{ n: 1 }])).toBeGreaterThan(0)
})

test('an emptied beach.db next to a journal is not opened: SQLite would delete the journal', async () => {
  const { store } = await open()
  await store.append('s', 0, [{ n: 1 }])
  const left = join(parent, 'left')
  cpSync(folder, left, { recursive: true })
  folder = left
  truncateSync(join(folder, 'beach.db'))
  await expect(open()).rejects.toThrow('beach.db is damaged (it is empty, though a journal is next to it)')
  expect(statSync(join(folder, 'beach.db-wal')).size).toBeGreaterThan(0)
})

test('a store that was lost stays so when its folder comes back, and the next start goes on with it', async () => {
  const { store } = await open()
  const head = await store.append('s', 0, [{ n: 1 }])
  renameSync(folder, `${folder}-moved`)
  await expect(store.append('s', head, [{ n: 2 }])).rejects.toMatchObject(lost)
  renameSync(`${folder}-moved`, folder)
  await expect(store.append('s', head, [{ n: 3 }])).rejects.toMatchObject(lost)
  await store.close()
  const { store: next } = await open()
  expect((await next.read('s', 0)).map(({ data }) => data)).not.toContainEqual({ n: 3 })
  expect((await next.read('s', 0))[0]).toEqual({ seq: head, data: { n: 1 } })
})

test('what was acknowledged before the journal was removed is in the file, however the process ends', async () => {
  const { store } = await open()
  await store.append('s', 0, [{ n: 1 }])
  rmSync(join(folder, 'beach.db-wal'))
  await expect(store.bind('k', 'v')).rejects.toMatchObject(lost)
  // A process that is killed now leaves exactly this.
  const left = join(parent, 'left.db')
  cpSync(join(folder, 'beach.db'), left)
  const after = await SqliteStore.open({ path: left })
  expect((await after.read('s', 0)).map(({ data }) => data)).toEqual([{ n: 1 }])
  await after.close()
})

test.for(['store', 'identities'] as const)(
  'the missives and identities are guarded in the same way: %s',
  async (name) => {
    const { missives } = await open()
    const file = name === 'store' ? 'missives.db' : 'identities.db'
    await missives[name].check?.()
    renameSync(join(folder, file), join(folder, 'elsewhere.db'))
    await expect(missives[name].check?.()).rejects.toMatchObject(lost)
    renameSync(join(folder, 'elsewhere.db'), join(folder, file))
    await expect(missives[name].check?.()).rejects.toMatchObject(lost)
  },
)

test('a start says that a journal was removed while no process could see it', async () => {
  const { store } = await open()
  await store.append('s', 0, [{ n: 1 }])
  const left = join(parent, 'left')
  cpSync(folder, left, { recursive: true })
  await store.close()
  folder = left
  rmSync(join(folder, 'beach.db-wal'))
  rmSync(join(folder, 'beach.db-shm'))
  const { store: next } = await open()
  const warnings = () => lines.filter((line) => line.includes('the journal of the database is gone'))
  expect(warnings()).toHaveLength(1)
  await next.close()
  await open()
  expect(warnings()).toHaveLength(1)
})

test('a journal that one start has read, and its orderly end has removed, is not lost', async () => {
  const { store } = await open()
  await store.append('s', 0, [{ n: 1 }])
  // What a process leaves that is killed now.
  const left = join(parent, 'left')
  cpSync(folder, left, { recursive: true })
  folder = left
  const { store: next } = await open()
  await next.close()
  await open()
  expect(lines).toEqual([])
})

test('a start next to a process whose journal is empty right then says nothing of a lost journal', async () => {
  const { store } = await open()
  await store.append('s', 0, [{ n: 1 }])
  await store.erase('s', [])
  expect(statSync(join(folder, 'beach.db-wal')).size).toBe(0)
  await open()
  expect(lines).toEqual([])
})

test.for(['beach.db', 'identities.db'])(
  'a new %s is not made next to the journal of one that is gone',
  async (file) => {
    const { store, missives } = await open()
    await store.append('s', 0, [{ n: 1 }])
    await missives.identities.check?.()
    const left = join(parent, 'left')
    cpSync(folder, left, { recursive: true })
    folder = left
    renameSync(join(folder, file), join(folder, 'moved.db'))
    const message = `${file} is gone, though its journal`
    await expect(open()).rejects.toMatchObject({ code: 'STORE_LOST', message: expect.stringContaining(message) })
    expect(statSync(join(folder, `${file}-wal`)).size).toBeGreaterThan(0)
    renameSync(join(folder, 'moved.db'), join(folder, file))
    const { store: next } = await open()
    expect((await next.read('s', 0)).map(({ data }) => data)).toEqual([{ n: 1 }])
  },
)

test('missives.db may be removed without its journal: it is made anew', async () => {
  const { missives } = await open()
  await missives.store.check?.()
  const left = join(parent, 'left')
  cpSync(folder, left, { recursive: true })
  folder = left
  rmSync(join(folder, 'missives.db'))
  const { missives: next } = await open()
  await expect(next.store.check?.()).resolves.toBeUndefined()
})

test('a start that fails at the last database closes those that it has opened', async () => {
  const { missives } = await open()
  await missives.identities.close()
  const identities = new DatabaseSync(join(folder, 'identities.db'))
  identities.exec('PRAGMA user_version = 99')
  identities.close()
  const left = join(parent, 'left')
  cpSync(folder, left, { recursive: true })
  folder = left
  await expect(open()).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
  // The last connection that is closed removes the journals.
  expect(readdirSync(folder).filter((name) => name.endsWith('-wal'))).toEqual([])
})

test('closing a store that was replaced leaves the journal of the new file alone', async () => {
  const { store } = await open()
  await store.append('s', 0, [{ n: 1 }])
  renameSync(folder, `${folder}-moved`)
  const { store: other } = await open()
  const head = await other.append('s', 0, [{ n: 'new' }])
  await store.close()
  expect(statSync(join(folder, 'beach.db-wal')).size).toBeGreaterThan(0)
  expect(await other.append('s', head, [{ n: 'newer' }])).toBeGreaterThan(head)
})

test('a file that is closed is looked at no more: its descriptor may be that of another', async () => {
  const runtime = systemRuntime()
  const path = join(parent, 'short.db')
  const prepare = (db: DatabaseSync) => db.exec('CREATE TABLE IF NOT EXISTS one (n INTEGER)')
  const file = await openSqlite({ path, runtime, prepare, whenDamaged: '' })
  const reader = new DatabaseSync(path)
  reader.exec('INSERT INTO one VALUES (1)')
  file.close()
  expect(file.look()).toBeUndefined()
  // The last one to close it removes the journal, which is no loss.
  reader.close()
  expect(file.look()).toBeUndefined()
})

test('a program that ends without closing its store has lost nothing, and the next start does not warn', async () => {
  const path = join(folder, 'beach.db')
  const program = `import { SqliteStore } from '@cool-ai/beach-session/sqlite'
const store = await SqliteStore.open({ path: ${JSON.stringify(path)} })
await store.append('s', 0, [{ n: 1 }])`
  const { store } = await open()
  await store.close()
  execFileSync(process.execPath, ['--conditions=@cool-ai/source', '--input-type=module', '--eval', program])
  const { store: next } = await open()
  expect((await next.read('s', 0)).map(({ data }) => data)).toEqual([{ n: 1 }])
  expect(lines).toEqual([])
})
