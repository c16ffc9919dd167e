import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { appendFigures, type AppendsOptions } from './appends.ts'
import type { BenchOptions, Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'

/** Appends in groups of 32 that share a commit, against a loop of prepared inserts with the same grouping. */
export function storeBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder(async (folder) => {
    const store = await SqliteStore.open({ path: join(folder, 'beach.db') })
    const bare = bareDatabase(join(folder, 'bare.db'))
    try {
      return await appendFigures({ name: 'store', store, insertGroup: inserter(bare), goal: '>= 0.8', quick })
    } finally {
      bare.close()
      await store.close()
    }
  })
}

function bareDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE event (seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, data TEXT NOT NULL) STRICT;
    CREATE INDEX event_session ON event (session);
  `)
  return db
}

function inserter(db: DatabaseSync): AppendsOptions['insertGroup'] {
  const insert = db.prepare('INSERT INTO event (session, data) VALUES (?, ?)')
  return async (events) => {
    db.exec('BEGIN IMMEDIATE')
    for (const { session, event } of events) insert.run(session, JSON.stringify(event))
    db.exec('COMMIT')
  }
}
