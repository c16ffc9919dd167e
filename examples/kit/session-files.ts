import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BeachError, isBeachError } from '@cool-ai/beach-core'

export interface SessionFilesOptions<Value> {
  readonly folder: string
  /** What the files hold, in one word; part of their names and of messages. */
  readonly noun: string
  /** The value of a session that has none yet. */
  readonly empty: Value
  readonly parse: (json: unknown) => Value
}

/** In lower case only, since some disks do not tell the cases apart; neither a dot nor a slash can lead elsewhere. */
const sessionId = /^[a-z][a-z0-9_]{0,99}$/

/**
 * Something that each session has, as one JSON file per session in a folder. A value is written next to the old one and
 * takes its place by one rename, so a crash leaves the one or the other. Only the host of a session changes its value,
 * so one process at a time writes a file.
 */
export class SessionFiles<Value> {
  readonly #options: SessionFilesOptions<Value>
  readonly #last = new Map<string, Promise<unknown>>()
  #isClosed = false

  constructor(options: SessionFilesOptions<Value>) {
    this.#options = options
  }

  load(session: string, signal?: AbortSignal): Promise<Value> {
    return this.#onDisk(signal, () => this.#read(this.#path(session), signal))
  }

  /** Keeps what `change` makes of the value, all of it or nothing; changes of one session come one after the other. */
  async update(session: string, change: (value: Value) => Value, signal?: AbortSignal): Promise<Value> {
    const path = this.#path(session)
    const before = this.#last.get(session) ?? Promise.resolve()
    const after = before.then(async () => {
      const value = change(await this.#onDisk(signal, () => this.#read(path, signal)))
      await this.#onDisk(signal, () => this.#write(path, value))
      return value
    })
    const settled = after.catch(() => {})
    this.#last.set(session, settled)
    try {
      return await after
    } finally {
      if (this.#last.get(session) === settled) this.#last.delete(session)
    }
  }

  #path(session: string): string {
    const { folder, noun } = this.#options
    if (sessionId.test(session)) return join(folder, `${noun}-${session}.json`)
    throw new BeachError('BAD_REQUEST', 'This cannot be the id of a session.')
  }

  async #read(path: string, signal?: AbortSignal): Promise<Value> {
    try {
      await this.#closeFolder()
      return this.#options.parse(JSON.parse(await readFile(path, { encoding: 'utf8', signal })))
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return this.#options.empty
      throw error
    }
  }

  async #write(path: string, value: Value): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 })
    await this.#closeFolder()
    const draft = `${path}.${process.pid}.draft`
    try {
      const file = await open(draft, 'w', 0o600)
      try {
        await file.writeFile(JSON.stringify(value))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  /** Closes the folder to others, once: an earlier version has left it open. */
  async #closeFolder(): Promise<void> {
    if (this.#isClosed) return
    await chmod(this.#options.folder, 0o700)
    this.#isClosed = true
  }

  /** Runs something on the disk; what goes wrong there is said without its paths. */
  async #onDisk<Result>(signal: AbortSignal | undefined, run: () => Promise<Result>): Promise<Result> {
    signal?.throwIfAborted()
    try {
      return await run()
    } catch (cause) {
      signal?.throwIfAborted()
      if (isBeachError(cause)) throw cause
      const message = `The ${this.#options.noun} of this session cannot be used right now.`
      throw new BeachError('STORE_UNAVAILABLE', message, { cause })
    }
  }
}
