import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, type TestContext } from 'vitest'
import { silentLogger } from '../logger.ts'
import { simulatedRuntime } from '../simulated-runtime.ts'
import { openSqlite } from './open-sqlite.ts'

const runtime = { ...simulatedRuntime(), logger: silentLogger }

async function opened({ onTestFinished }: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'beach-guard-'))
  const path = join(folder, 'one.db')
  // The journal of another program is there already, and stays there.
  const other = new DatabaseSync(path)
  other.exec('PRAGMA journal_mode = WAL; CREATE TABLE one (n INTEGER); INSERT INTO one VALUES (1)')
  const file = await openSqlite({ path, runtime, prepare: () => {}, whenDamaged: '' })
  onTestFinished(() => {
    file.close()
    other.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { ...file, journal: `${path}-wal` }
}

test('a file that is rarely written is looked at every second, until it is lost', async (context) => {
  const { guard, journal } = await opened(context)
  const { clock } = runtime
  const end = guard.watch(clock)
  await clock.advance(1_000)
  expect(guard.failure).toBeUndefined()
  rmSync(journal)
  await clock.advance(999)
  expect(guard.failure).toBeUndefined()
  await clock.advance(1)
  expect(guard.failure).toMatchObject({ code: 'STORE_LOST' })
  end()
})

test('a file is looked at no more once its watch has ended', async (context) => {
  const { guard, journal } = await opened(context)
  const end = guard.watch(runtime.clock)
  await runtime.clock.advance(1_000)
  end()
  rmSync(journal)
  await runtime.clock.advance(10_000)
  expect(guard.failure).toBeUndefined()
})

test('a journal that is cut off before the first look is noticed by that look', async (context) => {
  const { guard, journal } = await opened(context)
  truncateSync(journal, statSync(journal).size - 4_096)
  expect(guard.look()).toMatchObject({ code: 'STORE_LOST' })
})
