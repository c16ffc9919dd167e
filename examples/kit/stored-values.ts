import type { Store } from '@cool-ai/beach-core'
import { Conflict } from '@cool-ai/beach-core/ports'

export interface StoredValuesOptions<Value> {
  readonly store: Store
  /** What is kept, in one word; part of the names of its logs. */
  readonly noun: string
  /** The value of a session that has none yet. */
  readonly empty: Value
  readonly parse: (json: unknown) => Value
}

const pageSize = 500

/**
 * Something that each session has, in the agent's own store, where all processes find it: a log for each session, of
 * which the last entry counts.
 */
export class StoredValues<Value> {
  readonly #options: StoredValuesOptions<Value>

  constructor(options: StoredValuesOptions<Value>) {
    this.#options = options
  }

  async load(session: string, signal?: AbortSignal): Promise<Value> {
    return (await this.#last(session, signal)).value
  }

  /** Keeps what `change` makes of the value, all of it or nothing; changes of one session come one after the other. */
  async update(session: string, change: (value: Value) => Value, signal?: AbortSignal): Promise<Value> {
    for (;;) {
      const { value: before, head } = await this.#last(session, signal)
      const value = change(before)
      try {
        await this.#options.store.append(this.#nameOf(session), head, [{ value }])
        return value
      } catch (error) {
        // Another change was quicker: this one is made to what came of it.
        if (!(error instanceof Conflict)) throw error
      }
    }
  }

  async #last(session: string, signal?: AbortSignal): Promise<{ readonly value: Value; readonly head: number }> {
    const { store, empty, parse } = this.#options
    let last = { value: empty, head: 0 }
    for (;;) {
      signal?.throwIfAborted()
      const page = await store.read(this.#nameOf(session), last.head, pageSize)
      const newest = page.at(-1)
      if (newest !== undefined) last = { value: parse((newest.data as { value: unknown }).value), head: newest.seq }
      if (page.length < pageSize) return last
    }
  }

  #nameOf(session: string): string {
    return `${this.#options.noun}:${session}`
  }
}
