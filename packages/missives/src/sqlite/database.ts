import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { BeachError, sleep, type Runtime } from '@cool-ai/beach-core'
import { keepAlive } from '@cool-ai/beach-core/runtime'
import { openSqlite, whenFree, type OpenSqlite } from '@cool-ai/beach-core/sqlite'

/** What a file must have in it. */
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

const journalTries = 200

/** A SQLite file that several processes may use. What is deleted in it is overwritten. */
export class Database {
  readonly db: DatabaseSync
  readonly #file: OpenSqlite
  readonly #runtime: Runtime
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #endWatch: () => void
  #closed = false

  static async open(path: string, schema: Schema, runtime: Runtime): Promise<Database> {
    const { whenDamaged } = schema
    const file = await openSqlite({ path, runtime, prepare: (db) => prepareDatabase(db, schema), whenDamaged })
    return new Database(file, runtime)
  }

  private constructor(file: OpenSqlite, runtime: Runtime) {
    const { db } = file
    this.db = db
    this.#file = file
    this.#runtime = runtime
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#endWatch = file.guard.watch(runtime.clock)
  }

  /** Runs something that writes, all of it or nothing. */
  write<Value>(run: () => Value): Promise<Value> {
    return this.read(() => {
      const failure = this.#file.guard.look()
      if (failure !== undefined) throw failure
      this.#begin.run()
      try {
        const value = run()
        this.#commit.run()
        const lost = this.#file.guard.look()
        if (lost !== undefined) throw lost
        return value
      } catch (error) {
        if (this.db.isTransaction) this.db.exec('ROLLBACK')
        throw error
      }
    })
  }

  /** Writes, and so finds out whether the file can be written. */
  async check(): Promise<void> {
    await this.write(() => this.db.exec(`PRAGMA user_version = ${versionOf(this.db)}`))
  }

  /** What was overwritten is still in the journal until that is copied into the file and cut off. */
  emptyJournal(): Promise<void> {
    return keepAlive(this.#emptyJournal())
  }

  async #emptyJournal(): Promise<void> {
    for (let tries = 0; tries < journalTries; tries++) {
      const row = await this.read(() => this.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get())
      if (Number(row?.busy) === 0) return
      await sleep(this.#runtime.clock, 10)
    }
    throw new BeachError('STORE_BUSY', 'Another process reads the database all the time. Erase again.')
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#endWatch()
    this.#file.close()
  }

  /** Runs something on the database, once no other process has a lock on it. */
  read<Value>(run: () => Value): Promise<Value> {
    const { guard, path } = this.#file
    return whenFree(this.#runtime, path, () => {
      if (this.#closed) throw new BeachError('STORE_CLOSED', 'The store is closed.')
      guard.assertUsable()
      return run()
    }).catch((error: unknown) => {
      throw guard.storeError(error)
    })
  }
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
