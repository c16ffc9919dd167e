import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { BeachError, sleep, type Runtime } from '@cool-ai/beach-core'

/** What a file must have in it. */
export interface Schema {
  readonly version: number
  readonly tables: string
  /** Done at every opening. */
  readonly settings?: string
  /** Said when the file is of another version; without it such a file is emptied and made anew. */
  readonly refusal?: string
}

const busyTries = 2_000
const journalTries = 200

/** A SQLite file that several processes may use. What is deleted in it is overwritten. */
export class Database {
  readonly db: DatabaseSync
  readonly #runtime: Runtime
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  #closed = false

  static async open(path: string, schema: Schema, runtime: Runtime): Promise<Database> {
    const db = await whenFree(runtime, () => opened(path, schema))
    return new Database(db, runtime)
  }

  private constructor(db: DatabaseSync, runtime: Runtime) {
    this.db = db
    this.#runtime = runtime
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  /** Runs something that writes, all of it or nothing. */
  write<Value>(run: () => Value): Promise<Value> {
    return this.#whenFree(() => {
      this.#begin.run()
      try {
        const value = run()
        this.#commit.run()
        return value
      } catch (error) {
        if (this.db.isTransaction) this.db.exec('ROLLBACK')
        throw error
      }
    })
  }

  read<Value>(run: () => Value): Promise<Value> {
    return this.#whenFree(run)
  }

  /** What was overwritten is still in the journal until that is copied into the file and cut off. */
  async emptyJournal(): Promise<void> {
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
    this.db.close()
  }

  #whenFree<Value>(run: () => Value): Promise<Value> {
    return whenFree(this.#runtime, () => {
      if (this.#closed) throw new BeachError('STORE_CLOSED', 'The store is closed.')
      return run()
    })
  }
}

function opened(path: string, schema: Schema): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true })
  // No busy timeout: SQLite would wait by blocking the event loop.
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON')
    if (schema.settings !== undefined) db.exec(schema.settings)
    if (versionOf(db) !== schema.version) prepare(db, schema)
    return db
  } catch (error) {
    db.close()
    throw error
  }
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

/** Runs a synchronous database call, waiting with timers while another process holds the lock that it needs. */
async function whenFree<Value>(runtime: Runtime, run: () => Value): Promise<Value> {
  for (let tries = 0; ; tries++) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error) || tries >= busyTries) throw error
      await sleep(runtime.clock, 1 + runtime.random() * 9)
    }
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return false
  const primary = error.errcode & 0xff
  return primary === 5 || primary === 6
}
