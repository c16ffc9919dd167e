import { closeSync, openSync, readSync, truncateSync } from 'node:fs'

const headerBytes = 32
const nothing = '00'.repeat(headerBytes)

/**
 * Whether a journal is still as long as SQLite has written it. SQLite itself does not notice that a part was cut off: it
 * writes on behind the gap, and the next process that opens the file reads the journal up to the gap only. Opening it
 * beside SQLite does no harm: no locks are on it, those are on the database and on its index.
 */
export class JournalWatch {
  readonly #path: string
  readonly #file: number
  readonly #buffer = Buffer.alloc(headerBytes)
  #header = ''
  #size = 0n

  constructor(path: string, size: bigint) {
    this.#path = path
    this.#file = openSync(path, 'r')
    this.isCut(size)
  }

  /** True when a part of it was cut off since the last look. */
  isCut(size: bigint): boolean {
    // Emptied by a process that has copied all of it into the database, or cut: the next write tells, by its header.
    const header = size === 0n ? '' : this.#read()
    const isShorter = header === this.#header && size < this.#size
    this.#header = header
    this.#size = size
    return header === nothing || isShorter
  }

  /** Nothing of a journal with a gap can be used; a copy of it into the database would write the gap there. */
  empty(): void {
    truncateSync(this.#path)
  }

  /** Nothing is asked of it afterwards. */
  close(): void {
    closeSync(this.#file)
  }

  /** It is another one each time that SQLite begins the journal anew. */
  #read(): string {
    readSync(this.#file, this.#buffer, 0, headerBytes, 0)
    return this.#buffer.toString('hex')
  }
}
