import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { quickProblem } from './open-sqlite.ts'

const small = 1_000_000
const huge = 10_000_000_000

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beach-quick-'))
  path = join(folder, 'x.db')
  const db = new DatabaseSync(path)
  db.exec('CREATE TABLE log (seq INTEGER PRIMARY KEY, text TEXT) STRICT; BEGIN')
  const insert = db.prepare('INSERT INTO log VALUES (?, ?)')
  for (let seq = 1; seq <= 5_000; seq++) insert.run(seq, `row ${seq} ${'x'.repeat(200)}`)
  db.exec('COMMIT')
  db.close()
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What a check of a file finds that has the page with this text overwritten. */
function checked(text: string | undefined, bytes: number): string {
  if (text !== undefined) {
    const file = readFileSync(path)
    const start = Math.floor(file.indexOf(text) / 4_096) * 4_096
    writeFileSync(path, file.fill(0xa5, start, start + 4_096))
  }
  const db = new DatabaseSync(path)
  try {
    const { problem, isPartial } = quickProblem(db, bytes)
    return `${isPartial ? 'in part ' : ''}${problem === undefined ? 'whole' : 'damaged'}`
  } catch {
    return 'unreadable'
  } finally {
    db.close()
  }
}

test('a file is looked through as a whole, unless it is huge', () => {
  expect(checked(undefined, small)).toBe('whole')
  expect(checked(undefined, huge)).toBe('in part whole')
  expect(checked('row 100 x', small)).toBe('damaged')
})

test('of a huge file the newest rows are read, and the older ones are left to the full check', () => {
  expect(checked('row 100 x', huge)).toBe('in part whole')
  expect(checked('row 4900 x', huge)).toBe('unreadable')
})
