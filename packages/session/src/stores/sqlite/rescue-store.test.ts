import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { simulatedRuntime } from '@cool-ai/beach-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rescueStore, unreadableRows, type RescuedStore } from './rescue-store.ts'
import { SqliteStore } from './sqlite-store.ts'

const pageBytes = 4_096
const runtime = simulatedRuntime()
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beach-rescue-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string) => join(folder, `${name}.db`)

async function append(name: string, session: string, texts: readonly string[]): Promise<number> {
  const store = await SqliteStore.open({ path: file(name) })
  const head = await store.append(
    session,
    0,
    texts.map((text) => ({ type: 'said', text })),
  )
  await store.close()
  return head
}

function rescue(from: string, to: string): RescuedStore {
  return rescueStore({ from: file(from), to: file(to), asideFile: join(folder, 'aside.jsonl'), runtime })
}

/** Overwrites the page of the file that holds a text, as a bad disk would. */
function damage(name: string, text: string): void {
  const bytes = readFileSync(file(name))
  const page = Math.floor(bytes.indexOf(text) / pageBytes)
  bytes.fill(0xa5, page * pageBytes, (page + 1) * pageBytes)
  writeFileSync(file(name), bytes)
}

test('a store that was rescued before is rescued again, and only sessions are reported as incomplete', async () => {
  const first = await append('a', 'first', ['one'])
  expect(rescue('a', 'b')).toMatchObject({ sessions: 1, incomplete: [] })
  // Rows of their own pages between the two that keep the seqs, the second of which is on the page that is lost.
  for (const session of ['second', 'third', 'fourth']) await append('b', session, ['x'.repeat(3_000)])
  expect(rescue('b', 'c')).toMatchObject({ sessions: 4, incomplete: [] })
  const lost = await append('c', 'lost', ['on the lost page'])
  damage('c', 'on the lost page')
  const { incomplete, sessions } = rescue('c', 'd')
  expect(incomplete).toContain('lost')
  expect(incomplete).not.toContain('')
  expect(sessions + incomplete.length).toBe(5)
  const next = await append('d', 'next', ['two'])
  expect(next).toBeGreaterThan(lost)
  expect(lost).toBeGreaterThan(first)
})

test('a session is incomplete when one of its rows holds something else than events, though SQLite finds nothing wrong', async () => {
  await append('a', 'whole', ['one'])
  await append('a', 'spoiled', ['two'])
  const db = new DatabaseSync(file('a'))
  db.exec(`UPDATE event SET data = '{"type":"said","te' WHERE session = 'spoiled'`)
  // Neither does the row that names the session stand any more.
  db.exec(`DELETE FROM session WHERE id = 'spoiled'`)
  db.close()
  expect(unreadableRows(file('a'))).toBe(1)
  expect(rescue('a', 'b')).toMatchObject({ sessions: 1, incomplete: ['spoiled'] })
  expect(readFileSync(join(folder, 'aside.jsonl'), 'utf8')).toContain('"session":"spoiled"')
  expect(unreadableRows(file('b'))).toBe(0)
})

test('a rescued store is a new file, which only its owner can read', async () => {
  await append('a', 'whole', ['one'])
  rescue('a', 'b')
  expect(statSync(file('b')).mode & 0o077).toBe(0)
  expect(() => rescue('a', 'b')).toThrow('EEXIST')
})

test('a store of the first schema is rescued into one of the present', () => {
  const db = new DatabaseSync(file('a'))
  db.exec(`
    CREATE TABLE event (seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, data TEXT NOT NULL) STRICT;
    CREATE INDEX event_session ON event (session);
    CREATE TABLE wake (session TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE lease (session TEXT PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX lease_until ON lease (until);
    CREATE TABLE key (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE snapshot (session TEXT PRIMARY KEY, seq INTEGER NOT NULL, fold_version INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
    CREATE TABLE neighbour (id TEXT PRIMARY KEY, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE live (n INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT NOT NULL, session TEXT NOT NULL, data TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
    INSERT INTO event (session, data) VALUES ('one', '{"n":1}'), ('other', '{"n":2}'), ('one', '{"n":3}');
    PRAGMA user_version = 1;
  `)
  db.close()
  expect(rescue('a', 'b')).toMatchObject({ sessions: 2, incomplete: [] })
})
