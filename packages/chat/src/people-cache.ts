import type { Runtime } from '@cool-ai/beach-core'

const maxMs = 60 * 60 * 1_000
const maxEntries = 5_000

/** Values in memory, each for an hour at the most; the oldest go when there are too many. */
export class PeopleCache {
  readonly #clock: Runtime['clock']
  readonly #entries = new Map<string, { readonly value: unknown; readonly until: number }>()

  constructor({ clock }: Pick<Runtime, 'clock'>) {
    this.#clock = clock
  }

  get(key: string): unknown {
    const entry = this.#entries.get(key)
    return entry === undefined || entry.until <= this.#clock.now() ? undefined : entry.value
  }

  set(key: string, value: unknown, ttlMs = maxMs): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: this.#clock.now() + Math.min(ttlMs, maxMs) })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
