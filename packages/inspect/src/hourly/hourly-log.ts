import type { Store } from '@cool-ai/beach-core'
import { Conflict, type Page } from '@cool-ai/beach-core/ports'

const hourMs = 60 * 60 * 1_000
const farFuture = 9_999_999_999_999
const pageSize = 500
const hoursAtOnce = 50
const maxConflicts = 50

/** An entry as it is listed: its id is its place. */
export type Listed<Entry> = Entry & { readonly id: string }

/** Entries of a tenant by time, which all processes write: a log for each hour in which there is one. */
export class HourlyLog<Entry extends object> {
  readonly #store: Store
  readonly #name: string

  constructor(store: Store, name: string) {
    this.#store = store
    this.#name = name
  }

  /** Appends entries of the hour of this time. */
  async append(tenant: string, at: number, entries: readonly Entry[]): Promise<void> {
    const hour = Math.floor(at / hourMs)
    const log = this.#log(tenant, hour)
    // First the key, by which the hour is found: without entries it is harmless.
    await this.#store.bind(this.#key(tenant, hour), log)
    for (let conflicts = 0, head = 0; ; conflicts++) {
      try {
        await this.#store.append(log, head, [...entries])
        return
      } catch (error) {
        if (!(error instanceof Conflict) || conflicts >= maxConflicts) throw error
        head = error.head
      }
    }
  }

  /** The entries of a tenant, newest first. */
  async list(tenant: string, after: string | undefined, limit: number): Promise<Page<Listed<Entry>>> {
    const prefix = this.#prefix(tenant)
    const [from = '', below = ''] = after?.split('.') ?? []
    const items: Listed<Entry>[] = []
    // The hour itself, and those before it.
    let at = from === '' ? undefined : prefix + String(Number(from) - 1)
    for (;;) {
      const hours = await this.#store.list(prefix, at, hoursAtOnce)
      for (const { key, value: log } of hours) {
        const hour = key.slice(prefix.length)
        const entries = await this.#read(log)
        const wanted = hour === from ? entries.filter(({ seq }) => seq < Number(below)) : entries
        for (const { seq, entry } of wanted.toReversed()) {
          items.push({ ...entry, id: `${hour}.${seq}` })
          if (items.length > limit) return { items: items.slice(0, limit), next: items[limit - 1]?.id }
        }
        at = key
      }
      if (hours.length < hoursAtOnce) return { items }
    }
  }

  /** The entries of the hour of this time. */
  async hour(tenant: string, at: number): Promise<Entry[]> {
    const entries = await this.#read(this.#log(tenant, Math.floor(at / hourMs)))
    return entries.map(({ entry }) => entry)
  }

  /** Drops the hours that ended before this time. */
  async forget(tenant: string, before: number): Promise<void> {
    const last = this.#key(tenant, Math.floor(before / hourMs))
    for (const { key, value } of await this.#store.list(this.#prefix(tenant), last, pageSize)) {
      await this.#store.unbind(key)
      await this.#store.drop(value)
    }
  }

  async #read(log: string): Promise<{ seq: number; entry: Entry }[]> {
    const entries: { seq: number; entry: Entry }[] = []
    for (let at = 0; ;) {
      const page = await this.#store.read(log, at, pageSize)
      entries.push(...page.map(({ seq, data }) => ({ seq, entry: data as Entry })))
      at = page.at(-1)?.seq ?? at
      if (page.length < pageSize) return entries
    }
  }

  #prefix(tenant: string): string {
    return `${this.#name}:${encodeURIComponent(tenant)}:`
  }

  /** The newest hour comes first. */
  #key(tenant: string, hour: number): string {
    return this.#prefix(tenant) + String(farFuture - hour * hourMs)
  }

  #log(tenant: string, hour: number): string {
    return this.#prefix(tenant) + String(hour)
  }
}

/** Whether this is the `next` of a page. */
export function isPlace(after: string): boolean {
  return /^\d{13}\.\d{1,15}$/.test(after)
}
