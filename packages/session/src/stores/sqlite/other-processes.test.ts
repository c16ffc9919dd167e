import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { simulatedRuntime, systemRuntime } from '@cool-ai/beach-core'
import { openSqlite } from '@cool-ai/beach-core/sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LeaseTime } from '../lease-time.ts'
import { OtherProcesses } from './other-processes.ts'
import { prepareDatabase } from './schema.ts'
import { statements } from './statements.ts'
import { WriteQueue } from './write-queue.ts'

/** What one process hears of another on the same file; `reading` is called when it reads which logs have grown. */
async function context(reading: () => void) {
  const folder = mkdtempSync(join(tmpdir(), 'beach-neighbours-'))
  const path = join(folder, 'beach.db')
  const prepare = (made: DatabaseSync) => prepareDatabase(made, 0)
  const opened = () => openSqlite({ path, runtime: systemRuntime(), prepare, whenDamaged: '' })
  const [file, { db: other }] = [await opened(), await opened()]
  const { db } = file
  const runtime = simulatedRuntime()
  const queue = new WriteQueue(file, runtime, statements(db, new LeaseTime(runtime.clock)))
  const prepared = db.prepare.bind(db)
  const hooked = vi.spyOn(db, 'prepare').mockImplementation((sql) => {
    const statement = prepared(sql)
    if (sql.startsWith('SELECT seq, session FROM event')) {
      const all = statement.all.bind(statement) as (after: number) => ReturnType<typeof statement.all>
      vi.spyOn(statement, 'all').mockImplementation((after) => {
        const rows = all(Number(after))
        reading()
        return rows
      })
    }
    return statement
  })
  const received: string[] = []
  const news = { appended: (session: string) => received.push(session), live: () => {}, due: () => {} }
  const neighbours = new OtherProcesses(file, queue, runtime, news)
  hooked.mockRestore()
  neighbours.start()
  onTestFinished(async () => {
    neighbours.stop()
    await queue.drained()
    db.close()
    other.close()
    rmSync(folder, { recursive: true, force: true })
  })
  let seq = 0
  const append = (session: string) =>
    other.prepare('INSERT INTO event (seq, number, session, data) VALUES (?, 1, ?, ?)').run(++seq, session, '{}')
  /** Some looks at what others did. */
  const looks = () => runtime.clock.advance(100)
  return { append, looks, received }
}

test('what could not be read because of a lock is read at the next look, though nothing new has happened', async () => {
  let locked = false
  const { append, looks, received } = await context(() => {
    if (!locked) return
    locked = false
    throw Object.assign(new Error('database is locked'), { errcode: 5 })
  })
  await looks()
  locked = true
  append('a')
  await looks()
  expect(locked).toBe(false)
  expect(received).toEqual(['a'])
})

test('what is appended while the news is read is read at the next look', async () => {
  let during: (() => void) | undefined
  const { append, looks, received } = await context(() => {
    during?.()
    during = undefined
  })
  await looks()
  during = () => append('b')
  append('a')
  await looks()
  expect(received).toEqual(['a', 'b'])
})

/** A start next to an empty journal, in a file that says that another process was there. */
async function startBesideEmptyJournal() {
  const folder = mkdtempSync(join(tmpdir(), 'beach-unfinished-'))
  const path = join(folder, 'beach.db')
  const prepare = (made: DatabaseSync) => prepareDatabase(made, 0)
  const opened = () => openSqlite({ path, runtime: systemRuntime(), prepare, whenDamaged: '' })
  const other = await opened()
  const runtime = simulatedRuntime()
  const now = () => runtime.clock.now()
  const beat = () => other.db.prepare(`INSERT OR REPLACE INTO neighbour VALUES ('other', ?)`).run(now())
  beat()
  await other.emptyJournal()
  await runtime.clock.advance(10)
  const file = await opened()
  const queue = new WriteQueue(file, runtime, statements(file.db, new LeaseTime(runtime.clock)))
  const processes = new OtherProcesses(file, queue, runtime, { appended: () => {}, live: () => {}, due: () => {} })
  let reported = 0
  processes.lookForUnfinished(now(), () => void reported++)
  processes.start()
  const pass = async (ms: number) => {
    await runtime.clock.advance(ms)
    await queue.drained()
  }
  onTestFinished(async () => {
    processes.stop()
    await queue.drained()
    file.close()
    other.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const leave = () => other.db.exec('DELETE FROM neighbour')
  return { beat, leave, pass, reported: () => reported }
}

test('next to an empty journal, a process that has ended without closing the file is told of once it is silent', async () => {
  const { pass, reported } = await startBesideEmptyJournal()
  await pass(2_900)
  expect(reported()).toBe(0)
  await pass(200)
  expect(reported()).toBe(1)
  await pass(10_000)
  expect(reported()).toBe(1)
})

test('next to an empty journal, a process that lives has lost nothing', async () => {
  const { beat, pass, reported } = await startBesideEmptyJournal()
  await pass(900)
  beat()
  await pass(10_000)
  expect(reported()).toBe(0)
})

test('next to an empty journal, a process that closes the file in order meanwhile has lost nothing', async () => {
  const { leave, pass, reported } = await startBesideEmptyJournal()
  await pass(900)
  leave()
  await pass(10_000)
  expect(reported()).toBe(0)
})
