import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from './node-sqlite.ts'
import { BeachError, isBeachError } from '../errors.ts'
import type { Runtime } from '../runtime.ts'
import { journalState, refuseEmptied, refuseRemoved, type JournalState } from './emptied-file.ts'
import { whenFree } from './lock-wait.ts'
import { madePrivateFile, privateFile } from './private-files.ts'
import { isDamage } from './sqlite-errors.ts'
import { journalled, SqliteFile } from './sqlite-file.ts'

// SQLite looks through about 1.5 GB a second of a file that is in memory, and as much as the disk gives otherwise.
const maxBytes = 256 * 1024 * 1024
const maxRows = 2_000

export interface SqliteOptions {
  readonly path: string
  readonly runtime: Runtime
  /** Settings and tables. It may find the file locked at any point, and is then called again. */
  readonly prepare: (db: DatabaseSync) => void
  /** What to do when the file is damaged. */
  readonly whenDamaged: string
  /** True for a file that is made anew from others when it is gone, whatever its journal has. */
  readonly isDerived?: boolean | undefined
}

/**
 * Opens a SQLite file for one of several processes, making it when it is missing: readable by its owner only, looked over
 * for damage, with a journal next to it. A lock of another process is waited for, up to 30 seconds.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteFile> {
  const { runtime } = options
  const path = placeOf(options.path)
  const state = { isChecked: false, journal: journalState(path) }
  try {
    refuseEmptied(path)
    if (options.isDerived !== true) refuseRemoved(path)
    return await whenFree(runtime, path, () => opened(path, options, state))
  } catch (error) {
    if (isBeachError(error, 'STORE_BUSY')) throw lockedError(path, error)
    if (isDamage(error)) throw damagedError(path, options.whenDamaged, error)
    throw error
  }
}

interface OpeningState {
  isChecked: boolean
  readonly journal: JournalState
}

function opened(path: string, { runtime, prepare }: SqliteOptions, state: OpeningState): SqliteFile {
  const [, ...journal] = journalled(path)
  madePrivateFile(path, runtime.logger)
  // SQLite would open a file that it cannot write for reading only, without a word.
  accessSync(path, constants.W_OK)
  for (const file of journal) privateFile(file, runtime.logger)
  // No busy timeout: SQLite would wait by blocking the event loop.
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    // What is deleted or replaced is overwritten: erased data must not be left in the file.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON')
    if (!state.isChecked) lookOver(db, path, runtime)
    state.isChecked = true
    prepare(db)
    // To be let in for reading only, because another program writes, is no use.
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
    return new SqliteFile(db, path, runtime, state.journal)
  } catch (error) {
    db.close()
    throw error
  }
}

function lookOver(db: DatabaseSync, path: string, { logger }: Runtime): void {
  const { problem, isPartial } = quickProblem(db, statSync(path).size)
  if (problem !== undefined) throw new BeachError('STORE_DAMAGED', problem)
  if (isPartial) {
    const message = 'the database is too large to be checked for damage as a whole at the start; do so by command'
    logger.log('info', message, { path })
  }
}

interface QuickCheck {
  /** The first thing that is wrong, if any is. */
  readonly problem: string | undefined
  /** Only a part was looked at. */
  readonly isPartial: boolean
}

/**
 * Looks for damage in a time that does not grow with the file: the whole structure of one of up to 256 MB, otherwise the
 * newest rows of each table and what leads to them.
 */
export function quickProblem(db: DatabaseSync, bytes: number): QuickCheck {
  if (bytes <= maxBytes) return { problem: firstProblem(db), isPartial: false }
  for (const table of tables(db)) readNewest(db, table)
  return { problem: undefined, isPartial: true }
}

/** The structure of the whole file. */
function firstProblem(db: DatabaseSync): string | undefined {
  const [first] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})
  // The row begins with a heading on a line of its own.
  return first === 'ok' ? undefined : String(first).split('\n').at(-1)
}

function tables(db: DatabaseSync): { name: string; order: string }[] {
  const own = `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'`
  return db
    .prepare(own)
    .all()
    .map(({ name, sql }) => ({
      name: String(name),
      order: /WITHOUT ROWID/i.test(String(sql)) ? '' : 'ORDER BY rowid DESC',
    }))
}

/** Throws when SQLite finds damage on its way to them. */
function readNewest(db: DatabaseSync, { name, order }: { name: string; order: string }): void {
  const rows = db.prepare(`SELECT * FROM "${name}" ${order} LIMIT ${maxRows}`).iterate()
  for (const _ of rows);
}

/** Where the file really is: SQLite keeps its journal next to that, not next to a link to it. */
function placeOf(path: string): string {
  const folder = dirname(resolve(path))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return existsSync(path) ? realpathSync(path) : resolve(path)
}

function lockedError(path: string, { cause, details }: BeachError): BeachError {
  const heldBy = Array.isArray(details.heldBy) && details.heldBy.length > 0 ? ` (${details.heldBy.join(', ')})` : ''
  const message = `Another process${heldBy} has held a lock on ${path} for 30 seconds. End that process, or wait until it is done, and start again.`
  return new BeachError('STORE_BUSY', message, { cause, details })
}

function damagedError(path: string, advice: string, error: unknown): BeachError {
  const problem = error instanceof Error ? error.message : String(error)
  return new BeachError('STORE_DAMAGED', `The database ${path} is damaged (${problem}). ${advice}`, { cause: error })
}
