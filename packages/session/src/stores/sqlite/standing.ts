import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { RecentMap } from '@cool-ai/beach-core/runtime'

/** Where a session's events are: its number, and the seq of the last one. */
export interface Place {
  readonly number: number
  readonly head: number
}

const mostPlaces = 1_000

/**
 * Where the logs stand, as far as this process has written them and nobody else has written since: what is known is not
 * looked up again. SQLite counts the commits of others, and inside a transaction there are none.
 */
export class Standing {
  readonly #dataVersion: StatementSync
  #version: unknown
  #places = new RecentMap<Place>(mostPlaces)
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

  place(session: string): Place | undefined {
    return this.#places.get(session)
  }

  lastSeq(look: () => number): number {
    return (this.#lastSeq ??= look())
  }

  appended(session: string, place: Place): void {
    this.#places.set(session, place)
    this.#lastSeq = place.head
  }

  /** What was written is not there after all, or otherwise than it was known here. */
  forget(): void {
    this.#places = new RecentMap(mostPlaces)
    this.#lastSeq = undefined
  }
}
