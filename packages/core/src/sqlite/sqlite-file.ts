import { closeSync, fstatSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { sleep } from '../clock.ts'
import { BeachError, isBeachError } from '../errors.ts'
import { keepAlive } from '../keep-alive.ts'
import type { Runtime } from '../runtime.ts'
import type { JournalState } from './emptied-file.ts'
import { whenFree } from './lock-wait.ts'
import { isDamage, toStoreError } from './sqlite-errors.ts'

const lookEveryMs = 1_000
const journalTries = 200
const headerBytes = 32
const noHeader = '00'.repeat(headerBytes)

interface OpenFile {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
  size: bigint
}

/**
 * An open database that several processes may use. SQLite goes on writing to a file that was removed, moved, replaced or
 * cut off, and what it acknowledges then is lost: `look` compares the open files with their paths. Once the database is
 * lost or damaged, it stays so until the next start.
 */
export class SqliteFile {
  readonly db: DatabaseSync
  readonly path: string
  /** The journal as it was before this process opened the file. */
  readonly journalBefore: JournalState
  readonly #runtime: Runtime
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #files: readonly OpenFile[]
  readonly #journal: OpenFile | undefined
  /** Opening it next to SQLite does no harm: no locks are on it, those are on the database and on its index. */
  readonly #journalHandle: number | undefined
  readonly #buffer = Buffer.alloc(headerBytes)
  #header = ''
  #journalSize = 0n
  #failure: BeachError | undefined
  #isClosed = false
  #endWatch = () => {}

  /** For a database that has been read, so that its journal is open too. */
  constructor(db: DatabaseSync, path: string, runtime: Runtime, journalBefore: JournalState) {
    this.db = db
    this.path = path
    this.journalBefore = journalBefore
    this.#runtime = runtime
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#files = journalled(path).flatMap((name) => openFile(name) ?? [])
    this.#journal = this.#files.find((file) => file.path === `${path}-wal`)
    this.#journalHandle = this.#journal && openSync(this.#journal.path, 'r')
    this.#isCut()
  }

  /** Compares the open files with their paths, in a few microseconds. Says why nothing is written or read any more. */
  look(): BeachError | undefined {
    if (this.#failure !== undefined || this.#isClosed) return this.#failure
    for (const file of this.#files) {
      const found = openFile(file.path)
      const isDatabase = file === this.#files[0]
      const isSame = found?.inode === file.inode && found.device === file.device
      // A journal is empty now and then, a database never.
      if (!isSame || (isDatabase && found.size === 0n)) return this.#lost(file)
      if (isDatabase && found.size < file.size && this.#lacksPages(found.size)) return this.#damaged(file)
      if (file === this.#journal && this.#isCut()) return this.#cut(file)
      file.size = found.size
    }
    return undefined
  }

  /** Looks every second, so that the journal of a file that is rarely written is saved too. */
  watch(): void {
    this.#endWatch = this.#runtime.clock.timer(lookEveryMs, () => {
      if (this.look() === undefined) this.watch()
    })
  }

  /** Runs something on the database, once no other process has a lock on it. */
  async read<Value>(run: () => Value): Promise<Value> {
    try {
      return await whenFree(this.#runtime, this.path, () => {
        if (this.#isClosed) throw new BeachError('STORE_CLOSED', 'The store is closed.')
        if (this.#failure !== undefined) throw this.#failure
        return run()
      })
    } catch (error) {
      throw this.storeError(error)
    }
  }

  /** Runs something that writes, all of it or nothing. */
  write<Value>(run: () => Value): Promise<Value> {
    return this.read(() => {
      const failure = this.look()
      if (failure !== undefined) throw failure
      this.#begin.run()
      try {
        const value = run()
        this.#commit.run()
        const lost = this.look()
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
    await this.write(() => {
      const version = Number(this.db.prepare('PRAGMA user_version').get()?.user_version)
      this.db.exec(`PRAGMA user_version = ${version}`)
    })
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

  /** No more looks: the last process that closes the file removes its journal. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#endWatch()
    if (this.#journalHandle !== undefined) closeSync(this.#journalHandle)
    this.db.close()
  }

  /** The error as callers get it. */
  storeError(error: unknown): unknown {
    const seen = toStoreError(error)
    if (this.#failure === undefined && isBeachError(seen, 'STORE_DAMAGED')) this.#damage(seen, error)
    return this.#failure ?? seen
  }

  /** A program that made the database smaller in order has told SQLite. */
  #lacksPages(size: bigint): boolean {
    try {
      const pages = Number(this.db.prepare('PRAGMA page_count').get()?.page_count)
      const pageSize = Number(this.db.prepare('PRAGMA page_size').get()?.page_size)
      return BigInt(pages * pageSize) > size
    } catch (error) {
      return isDamage(error)
    }
  }

  /**
   * Whether a part of the journal was cut off since the last look. SQLite does not notice: it writes on behind the gap,
   * and the next process that opens the file reads the journal up to the gap only. The header is another one each time
   * that SQLite begins the journal anew.
   */
  #isCut(): boolean {
    const handle = this.#journalHandle
    if (handle === undefined) return false
    let header: string | undefined
    let size = 0n
    // The same header before and after the size: between the two another process may empty the journal and begin it anew.
    for (;;) {
      // None of an empty journal: it was copied into the database, or cut off; the header of the next write tells which.
      const length = readSync(handle, this.#buffer, 0, headerBytes, 0)
      const found = length === 0 ? '' : this.#buffer.toString('hex')
      if (found === header) break
      header = found
      size = fstatSync(handle, { bigint: true }).size
    }
    const isShorter = header === this.#header && size < this.#journalSize
    this.#header = header
    this.#journalSize = size
    return header === noHeader || isShorter
  }

  #damaged({ path }: OpenFile): BeachError {
    const name = basename(path)
    const message = `The file ${name} was cut off while the agent ran, so nothing is stored any more. Its operator can rescue what is readable.`
    return this.#damage(new BeachError('STORE_DAMAGED', message), `${name} is shorter than it was`)
  }

  #damage(failure: BeachError, error: unknown): BeachError {
    const message = 'the database is damaged; stop the agent, and check and rescue the data folder'
    return this.#fail(failure, message, { path: this.path, error })
  }

  /**
   * Nothing of a journal with a gap can be used; a copy of it into the database would write the gap there. A byte is left,
   * which is nothing to SQLite, and tells the next start.
   */
  #cut({ path }: OpenFile): BeachError {
    truncateSync(path, 1)
    const failure = new BeachError(
      'STORE_LOST',
      `The file ${basename(path)} was cut off while the agent ran, so nothing is stored any more. Start the agent again; what was stored last may be missing.`,
    )
    const message = 'the journal of the database was cut off; nothing is stored until the next start'
    return this.#fail(failure, message, { path })
  }

  #lost({ path }: OpenFile): BeachError {
    // What is in the journal is only there: a process that has it open can still put it into the file.
    const isJournalSaved = path === this.path ? undefined : this.#saveJournal()
    const failure = new BeachError(
      'STORE_LOST',
      `The file ${basename(path)} was removed, moved or replaced while the agent ran, so nothing is stored any more. Put it back, and start the agent again.`,
    )
    const message = 'a file of the database was removed, moved or replaced; nothing is stored until the next start'
    return this.#fail(failure, message, { path, isJournalSaved })
  }

  #saveJournal(): boolean {
    try {
      return Number(this.db.prepare('PRAGMA wal_checkpoint(FULL)').get()?.busy) === 0
    } catch {
      return false
    }
  }

  #fail(failure: BeachError, message: string, fields: Readonly<Record<string, unknown>>): BeachError {
    this.#failure = failure
    this.#runtime.logger.log('error', message, fields)
    return failure
  }
}

/** The file, and what SQLite keeps next to it. */
export function journalled(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`]
}

/** Undefined when nothing that could be a database is at that path. Never opened: see `madePrivateFile`. */
function openFile(path: string): OpenFile | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found && { path, device: found.dev, inode: found.ino, size: found.size }
  } catch {
    return undefined
  }
}
