import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { silentLogger } from '../logger.ts'
import { simulatedRuntime } from '../simulated-runtime.ts'
import { openSqlite } from './open-sqlite.ts'
import { madePrivateFile } from './private-files.ts'

test('a file that cannot be made is an error, and no file that is there already', () => {
  const here = fileURLToPath(new URL('.', import.meta.url))
  expect(() => madePrivateFile(join(here, 'missing', 'one.db'), silentLogger)).toThrow('ENOENT')
})

test('the folder that is made for a database is closed to others', async ({ onTestFinished }) => {
  const parent = mkdtempSync(join(tmpdir(), 'beach-private-'))
  const folder = join(parent, 'data')
  const options = { runtime: simulatedRuntime(), prepare: () => {}, whenDamaged: '' }
  const file = await openSqlite({ path: join(folder, 'one.db'), ...options })
  onTestFinished(() => {
    file.close()
    rmSync(parent, { recursive: true })
  })
  expect(statSync(folder).mode & 0o077).toBe(0)
})
