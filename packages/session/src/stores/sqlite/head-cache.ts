import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { LruMap } from '@cool-ai/beach-core/runtime'

/** Where a session's events are: its number, and the seq of the last one. */
export interface LogHead {
  readonly number: number
  readonly head: number
}

const maxHeads = 1_000

/**
 * Where the logs stand, as far as this process has written them and no other process has written since: what is known is not
 * looked up again. SQLite counts the commits of others, and inside a transaction there are none.
 */
export class HeadCache {
  readonly #dataVersion: StatementSync
  #version: unknown
  #places = new LruMap<LogHead>(maxHeads)
  #lastSeq: number | undefined

  constructor(db: DatabaseSync) {
    this.#dataVersion = db.prepare('PRAGMA data_version')
  }

  /** A transaction has begun: what is known holds until its end. */
  begun(): void {
    const version = this.#dataVersion.get()?.data_version
    if (version !== this.#version) this.forget()
    this.#version = version
  }

  place(session: string): LogHead | undefined {
    return this.#places.get(session)
  }

  lastSeq(look: () => number): number {
    return (this.#lastSeq ??= look())
  }

  appended(session: string, place: LogHead): void {
    this.#places.set(session, place)
    this.#lastSeq = place.head
  }

  /** What was written is not there after all, or otherwise than it was known here. */
  forget(): void {
    this.#places = new LruMap(maxHeads)
    this.#lastSeq = undefined
  }
}
