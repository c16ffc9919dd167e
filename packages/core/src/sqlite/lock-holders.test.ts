import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { lockHolders } from './lock-wait.ts'

const holding = `
  const db = new (require('node:sqlite').DatabaseSync)(process.argv[1])
  db.exec('BEGIN IMMEDIATE')
  console.log('held')
  setInterval(() => db, 1_000_000)
`

test.runIf(process.platform === 'linux')(
  'another process that holds a lock is named, and this one is not',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'beach-locks-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const [path, own] = [join(folder, 'other.db'), join(folder, 'own.db')]
    const dbs = [path, own].map((file) => new DatabaseSync(file))
    for (const db of dbs) db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)')
    dbs[1]?.exec('BEGIN IMMEDIATE')
    const child = spawn(process.execPath, ['--eval', holding, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(child.stdout, 'data')
      expect(lockHolders(path)).toEqual([expect.stringMatching(`^process ${child.pid} \\(.+\\)$`)])
      expect(lockHolders(own)).toEqual([])
      expect(lockHolders(join(folder, 'none.db'))).toEqual([])
    } finally {
      child.kill('SIGKILL')
      for (const db of dbs) db.close()
    }
  },
)
