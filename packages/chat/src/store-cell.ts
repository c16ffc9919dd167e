import { createHash } from 'node:crypto'
import { chatStatePrefix } from '@cool-ai/beach-channel/retention'
import type { Runtime, Store } from '@cool-ai/beach-core'

const digits = 10

/** What a cell holds, and until when; nothing after a deletion. */
interface Content {
  readonly value?: unknown
  readonly until?: number | undefined
  /** Tells two writes of the same value apart. */
  readonly by: string
}

interface Generation {
  readonly number: number
  readonly value: unknown
}

/** Decides what a cell holds next: `keep` leaves it as it is. */
export type CellChange = (value: unknown) => 'keep' | { readonly value: unknown; readonly ttlMs?: number | undefined }

/**
 * A value that several processes change, on a store that only binds keys: each value is a key of its own with the next
 * number, so of two writers at the same moment one finds its number taken, and decides again on the new value.
 */
export class StoreCell {
  readonly #store: Store
  readonly #runtime: Runtime
  readonly #prefix: string

  constructor(store: Store, runtime: Runtime, { tenant, key }: { readonly tenant: string; readonly key: string }) {
    this.#store = store
    this.#runtime = runtime
    const name = createHash('sha256').update(key).digest('base64url')
    this.#prefix = `${chatStatePrefix}${encodeURIComponent(tenant)}:${name}:`
  }

  async read(): Promise<unknown> {
    return (await this.#last()).value
  }

  /** Changes the value; resolves to the one that was there before, and whether anything was written. */
  async change(decide: CellChange): Promise<{ readonly before: unknown; readonly isChanged: boolean }> {
    for (;;) {
      const last = await this.#last()
      const next = decide(last.value)
      if (next === 'keep') return { before: last.value, isChanged: false }
      if (await this.#put(last.number + 1, next)) return { before: last.value, isChanged: true }
    }
  }

  async #last(): Promise<Generation> {
    const key = (await this.#store.list(this.#prefix)).at(-1)
    if (key === undefined) return { number: 0, value: undefined }
    const { value, until } = JSON.parse(key.value) as Content
    const isOver = until !== undefined && until <= this.#runtime.clock.now()
    return { number: Number(key.key.slice(this.#prefix.length)), value: isOver ? undefined : value }
  }

  /** False when another writer was first. */
  async #put(number: number, { value, ttlMs }: Exclude<ReturnType<CellChange>, 'keep'>): Promise<boolean> {
    const until = ttlMs === undefined ? undefined : this.#runtime.clock.now() + ttlMs
    const content: Content = { value, until, by: this.#runtime.id('cell') }
    const key = this.#prefix + String(number).padStart(digits, '0')
    const text = JSON.stringify(content)
    if ((await this.#store.bind(key, text)) !== text) return false
    const all = await this.#store.list(this.#prefix)
    // A writer that was held up may bind a number that was used and removed meanwhile: a later one stands then.
    if (all.at(-1)?.key !== key) {
      await this.#store.unbind(key)
      return false
    }
    for (const earlier of all.slice(0, -1)) await this.#store.unbind(earlier.key)
    return true
  }
}
