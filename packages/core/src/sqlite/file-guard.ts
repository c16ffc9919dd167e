import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../clock.ts'
import { BeachError, isBeachError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { JournalWatch } from './journal-watch.ts'
import { isDamage, toStoreError } from './sqlite-errors.ts'

const lookEveryMs = 1_000

interface OpenFile {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
  readonly size: bigint
}

/**
 * Whether a database is still the file that stands at its path, and as long as it was. SQLite goes on writing to a file
 * that was removed, moved, replaced or cut off, and what it acknowledges then is lost. Once the file is lost or damaged,
 * it stays so until the next start.
 */
export class FileGuard {
  readonly #db: DatabaseSync
  readonly #files: readonly OpenFile[]
  readonly #logger: Logger
  readonly #journal: JournalWatch | undefined
  #size: bigint
  #failure: BeachError | undefined
  #isClosed = false

  /** For a database that has been read, so that its journal is open too. */
  constructor(db: DatabaseSync, path: string, logger: Logger) {
    this.#db = db
    this.#files = journalled(path).flatMap((name) => openFile(name) ?? [])
    this.#logger = logger
    const [database, journal] = this.#files
    this.#size = database?.size ?? 0n
    this.#journal = journal?.path.endsWith('-wal') === true ? new JournalWatch(journal.path, journal.size) : undefined
  }

  /** Why nothing is written or read any more. */
  get failure(): BeachError | undefined {
    return this.#failure
  }

  /** Compares the open files with their paths: four looks at the file system, a few microseconds. */
  look(): BeachError | undefined {
    if (this.#failure !== undefined || this.#isClosed) return this.#failure
    for (const [index, file] of this.#files.entries()) {
      const found = openFile(file.path)
      const isSame = found?.inode === file.inode && found.device === file.device
      // A journal is empty now and then, a database never.
      if (!isSame || (index === 0 && found.size === 0n)) return this.#lost(file)
      if (index === 0 && this.#isShort(found.size)) return this.#damaged(file)
      if (index === 1 && this.#journal?.isCut(found.size) === true) return this.#cut(file)
    }
    return undefined
  }

  /** No more looks: the last process that closes the file removes its journal. */
  close(): void {
    this.#isClosed = true
    this.#journal?.close()
  }

  /** Looks every second, so that the journal of a file that is rarely written is saved too. Returns how to end it. */
  watch(clock: Clock): () => void {
    let cancel = () => {}
    const again = () => {
      cancel = clock.timer(lookEveryMs, () => {
        if (this.look() === undefined) again()
      })
    }
    again()
    return () => cancel()
  }

  assertUsable(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  /** The error as callers get it. */
  storeError(error: unknown): unknown {
    const seen = toStoreError(error)
    if (isBeachError(seen, 'STORE_DAMAGED') && this.#failure === undefined) this.#fail(seen, error)
    return this.#failure ?? seen
  }

  #fail(failure: BeachError, error: unknown): BeachError {
    this.#failure = failure
    const message = 'the database is damaged; stop the agent, and check and rescue the data folder'
    this.#logger.log('error', message, { path: this.#files[0]?.path, error })
    return failure
  }

  /** True when the end of the database is missing. A program that made it smaller in order has told SQLite. */
  #isShort(size: bigint): boolean {
    const isShorter = size < this.#size
    if (isShorter && this.#lacksPages(size)) return true
    this.#size = size
    return false
  }

  #lacksPages(size: bigint): boolean {
    try {
      const pages = Number(this.#db.prepare('PRAGMA page_count').get()?.page_count)
      const pageSize = Number(this.#db.prepare('PRAGMA page_size').get()?.page_size)
      return BigInt(pages * pageSize) > size
    } catch (error) {
      return isDamage(error)
    }
  }

  #damaged({ path }: OpenFile): BeachError {
    const name = basename(path)
    const message = `The file ${name} was cut off while the agent ran, so nothing is stored any more. Its operator can rescue what is readable.`
    return this.#fail(new BeachError('STORE_DAMAGED', message), `${name} is shorter than it was`)
  }

  #cut({ path }: OpenFile): BeachError {
    const name = basename(path)
    this.#journal?.empty()
    this.#failure = new BeachError(
      'STORE_LOST',
      `The file ${name} was cut off while the agent ran, so nothing is stored any more. Start the agent again; what was stored last may be missing.`,
    )
    const message = 'the journal of the database was cut off; nothing is stored until the next start'
    this.#logger.log('error', message, { path })
    return this.#failure
  }

  #lost(file: OpenFile): BeachError {
    const isJournal = file !== this.#files[0]
    // What is in the journal is only there: a process that has it open can still put it into the file.
    const saved = isJournal ? this.#saveJournal() : undefined
    const name = basename(file.path)
    this.#failure = new BeachError(
      'STORE_LOST',
      `The file ${name} was removed, moved or replaced while the agent ran, so nothing is stored any more. Put it back, and start the agent again.`,
    )
    const message = 'a file of the database was removed, moved or replaced; nothing is stored until the next start'
    this.#logger.log('error', message, { path: file.path, ...(saved !== undefined && { isJournalSaved: saved }) })
    return this.#failure
  }

  #saveJournal(): boolean {
    try {
      return Number(this.#db.prepare('PRAGMA wal_checkpoint(FULL)').get()?.busy) === 0
    } catch {
      return false
    }
  }
}

/** The file, and what SQLite keeps beside it. */
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
