import fs, { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi, type TestContext } from 'vitest'
import { simulatedRuntime } from '../simulated-runtime.ts'
import { openSqlite } from './open-sqlite.ts'

async function opened({ onTestFinished }: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'beach-guard-'))
  const path = join(folder, 'one.db')
  // The journal of another program is there already, and stays there.
  const other = new DatabaseSync(path)
  other.exec('PRAGMA journal_mode = WAL; CREATE TABLE one (n INTEGER); INSERT INTO one VALUES (1)')
  const lines: string[] = []
  const runtime = { ...simulatedRuntime(), logger: { log: (_: string, line: string) => void lines.push(line) } }
  const file = await openSqlite({ path, runtime, prepare: () => {}, whenDamaged: '' })
  onTestFinished(() => {
    file.close()
    other.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { file, other, lines, clock: runtime.clock, journal: `${path}-wal` }
}

test('a file that is rarely written is looked at every second, until it is lost', async (context) => {
  const { file, lines, clock, journal } = await opened(context)
  file.watch()
  await clock.advance(1_000)
  rmSync(journal)
  await clock.advance(999)
  expect(await file.read(() => 'read')).toBe('read')
  await clock.advance(1)
  await expect(file.read(() => 'read')).rejects.toMatchObject({ code: 'STORE_LOST' })
  await clock.advance(10_000)
  expect(lines).toHaveLength(1)
})

test('a file is looked at no more once it is closed', async (context) => {
  const { file, lines, clock, journal } = await opened(context)
  file.watch()
  await clock.advance(1_000)
  file.close()
  rmSync(journal)
  await clock.advance(10_000)
  expect(lines).toEqual([])
})

test('the check of a file writes to it: a full disk lets a transaction without a change pass', async (context) => {
  const { file, other } = await opened(context)
  const version = () => other.prepare('PRAGMA data_version').get()?.data_version
  const before = version()
  await file.check()
  expect(version()).not.toBe(before)
})

test('a journal that is cut off before the first look is noticed by that look', async (context) => {
  const { file, journal } = await opened(context)
  truncateSync(journal, statSync(journal).size - 4_096)
  expect(file.look()).toMatchObject({ code: 'STORE_LOST' })
})

/** Lets something happen after the nth of all calls that look at a file or read one. Tells whether there were as many. */
function afterCall({ onTestFinished }: TestContext, nth: number, happen: () => void): () => boolean {
  let calls = 0
  const hooked = (['statSync', 'fstatSync', 'readSync'] as const).map((name) => {
    const call = fs[name] as (...args: unknown[]) => unknown
    return vi.spyOn(fs, name).mockImplementation(((...args: unknown[]) => {
      const value = call(...args)
      if (++calls === nth) happen()
      return value
    }) as never)
  })
  const restore = () => {
    for (const spy of hooked) spy.mockRestore()
    syncBuiltinESMExports()
  }
  onTestFinished(restore)
  syncBuiltinESMExports()
  return () => {
    restore()
    return calls >= nth
  }
}

test('a journal that another process empties and begins anew in the middle of a look was not cut off', async (context) => {
  const { file, other } = await opened(context)
  const fill = () => other.exec('BEGIN; INSERT INTO one VALUES (randomblob(50000)); DELETE FROM one; COMMIT')
  const beginAnew = () => other.exec('PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO one VALUES (1)')
  for (let nth = 1, isWithin = true; isWithin; nth++) {
    fill()
    expect(file.look()).toBeUndefined()
    const ended = afterCall(context, nth, beginAnew)
    expect([nth, file.look()]).toEqual([nth, undefined])
    isWithin = ended()
    expect([nth, file.look()]).toEqual([nth, undefined])
  }
})
