import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BeachError } from '@cool-ai/beach-core'

const schemaVersion = 1

// `seq` counts over all sessions: strictly increasing and, with AUTOINCREMENT, never reused, even after a drop.
const tables = `
  CREATE TABLE event (seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, data TEXT NOT NULL) STRICT;
  CREATE INDEX event_session ON event (session);
  CREATE TABLE wake (session TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX wake_at ON wake (at);
  CREATE TABLE lease (session TEXT PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX lease_until ON lease (until);
  CREATE TABLE key (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE snapshot (session TEXT PRIMARY KEY, seq INTEGER NOT NULL, fold_version INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
  CREATE TABLE neighbour (id TEXT PRIMARY KEY, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE live (n INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT NOT NULL, session TEXT NOT NULL, data TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
`

/** Opens the file, creating folder and tables when they are missing. May throw a busy error: try again then. */
export function openDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true })
  // No busy timeout: SQLite would wait by blocking the event loop. Waiting is done by `WriteQueue`, asynchronously.
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = FULL')
    // What is deleted or replaced is overwritten: erased data must not be left in the file.
    db.exec('PRAGMA secure_delete = ON')
    if (version(db) === 0) create(db)
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

function create(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have created them between the look and the lock.
    if (version(db) === 0) db.exec(`${tables}; PRAGMA user_version = ${schemaVersion}`)
    db.exec('COMMIT')
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
