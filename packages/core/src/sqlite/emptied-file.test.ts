import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { journalState } from './emptied-file.ts'

// Each round makes the journal, and removes it with the last handle.
const opener = `
  const { DatabaseSync } = require('node:sqlite')
  for (let round = 0; round < 300; round++) {
    const db = new DatabaseSync(process.argv[1])
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES (1)')
    db.close()
  }
`

test('a journal that another process removes between two looks is no error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'beach-journal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'x.db')
  const child = spawn(process.execPath, ['-e', opener, path], { stdio: 'inherit' })
  const exit = once(child, 'exit')
  const seen = new Set<string>()
  const look = () => {
    for (let n = 0; n < 200; n++) seen.add(journalState(path))
    return setImmediate(undefined)
  }
  let ended: unknown[] | undefined
  while (ended === undefined) ended = await Promise.race([exit, look()])
  expect(ended).toEqual([0, null])
  expect([...seen]).toEqual(expect.arrayContaining(['filled', 'missing']))
})
