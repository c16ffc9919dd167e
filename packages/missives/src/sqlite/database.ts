import type { DatabaseSync } from 'node:sqlite'
import { BeachError, type Runtime } from '@cool-ai/beach-core'
import { openSqlite, type SqliteFile } from '@cool-ai/beach-core/sqlite'

/** What a file must contain. */
export interface Schema {
  readonly version: number
  readonly tables: string
  /** Done at every opening. */
  readonly settings?: string
  /** Said when the file is of another version; without it such a file is emptied and made anew. */
  readonly refusal?: string
  /** What to do when the file is damaged. */
  readonly whenDamaged: string
}

/** Opens a SQLite file that several processes may use. What is deleted in it is overwritten. */
export async function openDatabase(path: string, schema: Schema, runtime: Runtime): Promise<SqliteFile> {
  const { whenDamaged } = schema
  const isDerived = schema.refusal === undefined
  const prepareTables = (db: DatabaseSync) => prepareDatabase(db, schema)
  const file = await openSqlite({ path, runtime, prepare: prepareTables, whenDamaged, isDerived })
  file.watch()
  return file
}

function prepareDatabase(db: DatabaseSync, schema: Schema): void {
  if (schema.settings !== undefined) db.exec(schema.settings)
  if (versionOf(db) !== schema.version) prepare(db, schema)
}

function prepare(db: DatabaseSync, schema: Schema): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    const version = versionOf(db)
    // Another process may have been quicker.
    if (version !== schema.version) {
      if (version !== 0 && schema.refusal !== undefined) {
        throw new BeachError('INVALID_CONFIGURATION', schema.refusal)
      }
      empty(db)
      db.exec(`${schema.tables}; PRAGMA user_version = ${schema.version}`)
    }
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function empty(db: DatabaseSync): void {
  const tables = db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC`,
    )
    .all()
  // A virtual table takes its own tables with it.
  for (const { name } of tables) db.exec(`DROP TABLE IF EXISTS "${String(name)}"`)
}

function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version)
}
