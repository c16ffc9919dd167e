import type { DatabaseSync } from 'node:sqlite'
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
  CREATE TABLE wake (session TEXT PRIMARY KEY, at INTEGER NOT NULL, since INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
  CREATE INDEX wake_at ON wake (at);
  CREATE TABLE lease (session TEXT PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL, ms INTEGER NOT NULL DEFAULT 10000) STRICT, WITHOUT ROWID;
  CREATE TABLE key (key TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
  CREATE TABLE snapshot (session TEXT PRIMARY KEY, seq INTEGER NOT NULL, fold_version INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
  CREATE TABLE neighbour (id TEXT PRIMARY KEY, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE live (n INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT NOT NULL, session TEXT NOT NULL, data TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
`

// A table that programs of before do not know, and do not miss.
const useTable =
  'CREATE TABLE IF NOT EXISTS use (key TEXT PRIMARY KEY, used REAL NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID'

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

// Of schema 3, where it was not on record when a wake was set, for how long a lease runs, and when a key was bound: keys
// are as old as this opening.
const fromThird = `
  ALTER TABLE wake ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lease ADD COLUMN ms INTEGER NOT NULL DEFAULT 10000;
  ALTER TABLE key ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
`

/** Settings and tables of the file that is opened. May throw a busy error: it is called again then. */
export function prepareDatabase(db: DatabaseSync, now: number): void {
  db.exec('PRAGMA synchronous = FULL')
  if (version(db) < schemaVersion) bringUpToDate(db, now)
  if (version(db) !== schemaVersion) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      `The database has schema ${version(db)}, this program needs ${schemaVersion}. Use the Beach version that wrote it, or another data folder.`,
    )
  }
  db.exec(useTable)
}

function bringUpToDate(db: DatabaseSync, now: number): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have done it between the look and the lock.
    if (version(db) === 0) db.exec(`${eventTables}; ${otherTables}`)
    if (version(db) === 1) db.exec(`${fromFirst}; PRAGMA user_version = 2`)
    if (version(db) === 2) db.exec(`${fromSecond}; PRAGMA user_version = 3`)
    if (version(db) === 3) db.exec(`${fromThird}; UPDATE key SET at = ${Math.floor(now)}`)
    if (version(db) < schemaVersion) db.exec(`PRAGMA user_version = ${schemaVersion}`)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function version(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version)
}
