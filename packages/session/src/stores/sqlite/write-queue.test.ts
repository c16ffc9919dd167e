import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { simulatedRuntime, systemRuntime } from '@cool-ai/beach-core'
import { openSqlite, type SqliteFile } from '@cool-ai/beach-core/sqlite'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { LeaseTime } from '../lease-time.ts'
import { prepareDatabase } from './schema.ts'
import { statements } from './statements.ts'
import { WriteQueue } from './write-queue.ts'

let folder: string
const open: DatabaseSync[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beach-queue-'))
})

afterEach(() => {
  for (const db of open.splice(0)) db.close()
  rmSync(folder, { recursive: true, force: true })
})

async function database(): Promise<SqliteFile> {
  const path = join(folder, 'beach.db')
  const prepare = (db: DatabaseSync) => prepareDatabase(db, 0)
  const file = await openSqlite({ path, runtime: systemRuntime(), prepare, whenDamaged: '' })
  open.push(file.db)
  return file
}

function queueOf(file: SqliteFile, runtime = simulatedRuntime()): WriteQueue {
  return new WriteQueue(file, runtime, statements(file.db, new LeaseTime(runtime.clock)))
}

describe('a group of writes', () => {
  /** How SQLite will commit the transaction that this is called in: 2 syncs, 1 does not. */
  const level = (db: DatabaseSync) => Number(db.prepare('PRAGMA synchronous').get()?.synchronous)

  test.each([
    ['all of which must survive a power failure', [true, true], 2],
    ['the last of which must', [false, true], 2],
    ['the first of which must', [true, false], 2],
    ['one in the middle of which must', [false, false, true, false], 2],
    ['none of which must', [false, false], 1],
  ])('%s is synced when it has to be', async (_, durable, expected) => {
    const file = await database()
    const { db } = file
    const queue = queueOf(file)
    // What came before does not count.
    await queue.write(() => {}, { durable: !durable.includes(true) })
    const levels = await Promise.all(durable.map((one) => queue.write(() => level(db), { durable: one })))
    expect(levels).toEqual(durable.map(() => expected))
  })
})

test('more writes at once than fit into one transaction are all written', async () => {
  const file = await database()
  const queue = queueOf(file)
  let written = 0
  const all = Array.from({ length: 2_500 }, () => queue.write(() => ++written, { durable: false }))
  await queue.drained()
  expect(written).toBe(2_500)
  await Promise.all(all)
})

test('writes that a lock has kept waiting for too long are refused, and let the process end', async () => {
  const file = await database()
  const runtime = simulatedRuntime()
  const queue = queueOf(file, runtime)
  const [holds, letsGo] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')]
  onTestFinished(() => void vi.restoreAllMocks())
  const other = (await database()).db
  other.exec('BEGIN IMMEDIATE')
  const refused = expect(queue.write(() => 1, { durable: true })).rejects.toMatchObject({ code: 'STORE_BUSY' })
  await new Promise((resolve) => setImmediate(resolve))
  expect(holds).toHaveBeenCalledTimes(1)
  const drained = queue.drained()
  await runtime.clock.advance(31_000)
  await refused
  await drained
  expect(letsGo).toHaveBeenCalledWith(holds.mock.results[0]?.value)
  other.exec('ROLLBACK')
  expect(await queue.write(() => 2, { durable: true })).toBe(2)
})

test('the head of a log is looked up again when another process has written just before the lock was had', async () => {
  const file = await database()
  const { db } = file
  const runtime = simulatedRuntime()
  const other = statements((await database()).db, new LeaseTime(runtime.clock))
  let foreign: (() => void) | undefined
  const own = statements(db, new LeaseTime(runtime.clock))
  const prepare = db.prepare.bind(db)
  // Something foreign happens just before a transaction begins.
  const hooked = vi.spyOn(db, 'prepare').mockImplementation((sql) => {
    const statement = prepare(sql)
    if (sql === 'BEGIN IMMEDIATE') {
      const begin = statement.run.bind(statement)
      vi.spyOn(statement, 'run').mockImplementation(() => {
        foreign?.()
        foreign = undefined
        return begin()
      })
    }
    return statement
  })
  const queue = new WriteQueue(file, runtime, own)
  hooked.mockRestore()
  const append = (expected: number) =>
    queue.write(() => own.append('s', own.place('s', expected), ['{"n":1}']), { durable: true })
  const head = await append(0)
  foreign = () => void other.append('s', other.place('s', head), ['{"n":"foreign"}'])
  await expect(append(head)).rejects.toMatchObject({ name: 'Conflict', head: head + 1 })
})
