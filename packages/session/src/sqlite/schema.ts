import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BeachError } from '@cool-ai/beach-core'

const schemaVersion = 4

// A row of `event` is one append, an event in each line, with the seq of the last one. Seqs count over all sessions.
// Rows are found by their session's number, the seq of its first event: ids are random, and sorted by them the events of
// sessions that run at the same time would be scattered over the whole file.
const eventTables = `
  CREATE TABLE session (id TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE event (seq INTEGER PRIMARY KEY, number INTEGER NOT NULL, session TEXT NOT NULL, data TEXT NOT NULL) STRICT;
  CREATE INDEX event_number ON event (number);
`

// `lease` has no index by time: it holds what runs now, and each page that a turn changes is written and synced.
const otherTables = `
  CREATE TABLE wake (session TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX wake_at ON wake (at);
  CREATE TABLE lease (session TEXT PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE key (key TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
  CREATE TABLE snapshot (session TEXT PRIMARY KEY, seq INTEGER NOT NULL, fold_version INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
  CREATE TABLE neighbour (id TEXT PRIMARY KEY, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE live (n INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT NOT NULL, session TEXT NOT NULL, data TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
`

// Of schema 1, where each event had a row of its own. The highest seq that was ever given stays taken (see `drop`).
const fromFirst = `
  ALTER TABLE event RENAME TO event_1;
  DROP INDEX event_session;
  ${eventTables}
  INSERT INTO session SELECT session, min(seq) FROM event_1 GROUP BY session;
  INSERT INTO event SELECT seq, number, session, data FROM event_1 JOIN session ON id = session;
  INSERT OR IGNORE INTO event SELECT seq, 0, '', '' FROM sqlite_sequence WHERE name = 'event_1';
  DROP TABLE event_1;
`

// Of schema 2, where leases had an index.
const fromSecond = 'DROP INDEX lease_until'

// Of schema 3, where keys had no time: they are as old as this opening.
const fromThird = 'ALTER TABLE key ADD COLUMN at INTEGER NOT NULL DEFAULT 0'

/** Opens the file, creating folder and tables when they are missing. May throw a busy error: try again then. */
export function openDatabase(path: string, now: number): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true })
  // No busy timeout: SQLite would wait by blocking the event loop. Waiting is done by `WriteQueue`, asynchronously.
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = FULL')
    // What is deleted or replaced is overwritten: erased data must not be left in the file.
    db.exec('PRAGMA secure_delete = ON')
    if (version(db) < schemaVersion) bringUpToDate(db, now)
    if (version(db) !== schemaVersion) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        `The database has schema ${version(db)}, this program needs ${schemaVersion}. Use the Beach version that wrote it, or another data folder.`,
      )
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function bringUpToDate(db: DatabaseSync, now: number): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have done it between the look and the lock.
    if (version(db) === 0) db.exec(`${eventTables}; ${otherTables}`)
    if (version(db) === 1) db.exec(`${fromFirst}; PRAGMA user_version = 2`)
    if (version(db) === 2) db.exec(`${fromSecond}; PRAGMA user_version = 3`)
    if (version(db) === 3) db.exec(`${fromThird}; UPDATE key SET at = ${Math.floor(now)}`)
    db.exec(`PRAGMA user_version = ${schemaVersion}; COMMIT`)
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function version(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version)
}

/** True when another process holds the lock that was needed; the same call may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return false
  const primary = error.errcode & 0xff
  return primary === 5 || primary === 6
}
