import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fileJournal } from './file-journal.ts'

const folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const schema = z.object({ word: z.string() })
let count = 0
const newPath = () => join(folder, 'inside', `${count++}.jsonl`)

describe('a journal', () => {
  test('has what was added to it before, in that order, and is for its owner only', () => {
    const path = newPath()
    const first = fileJournal(path, schema)
    expect(first.past).toEqual([])
    first.add({ word: 'one' })
    first.add({ word: 'two\nlines' })
    expect(fileJournal(path, schema).past).toEqual([{ word: 'one' }, { word: 'two\nlines' }])
    expect(statSync(path).mode & 0o077).toBe(0)
  })

  test('closes a folder and a file that others could read', () => {
    const path = newPath()
    fileJournal(path, schema).add({ word: 'one' })
    chmodSync(path, 0o644)
    chmodSync(dirname(path), 0o755)
    fileJournal(path, schema)
    expect([statSync(path).mode & 0o077, statSync(dirname(path)).mode & 0o077]).toEqual([0, 0])
  })

  test('is as it was before a line that a crash has left unfinished', () => {
    const path = newPath()
    fileJournal(path, schema).add({ word: 'whole' })
    appendFileSync(path, '{"word":"ha')
    const next = fileJournal(path, schema)
    next.add({ word: 'next' })
    expect(fileJournal(path, schema).past).toEqual([{ word: 'whole' }, { word: 'next' }])
  })

  test('leaves out what is none of its entries', () => {
    const path = newPath()
    fileJournal(path, schema).add({ word: 'one' })
    appendFileSync(path, '{"number":1}\nnothing\n')
    expect(fileJournal(path, schema).past).toEqual([{ word: 'one' }])
  })

  test('keeps the last thousand', () => {
    const path = newPath()
    fileJournal(path, schema)
    writeFileSync(path, Array.from({ length: 1_200 }, (_, word) => `{"word":"${word}"}\n`).join(''))
    const { past } = fileJournal(path, schema)
    expect([past.length, past[0]]).toEqual([1_000, { word: '200' }])
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(1_001)
  })

  test('that cannot be written says where', () => {
    const path = newPath()
    fileJournal(path, schema).add({ word: 'one' })
    expect(() => fileJournal(join(path, 'below.jsonl'), schema)).toThrow(/The mail and messages in .*below\.jsonl/)
  })
})
