import type { Runtime, Store } from '@cool-ai/beach-core'
import { toLogged } from '@cool-ai/beach-core/log'
import type { NotedError, Page } from '@cool-ai/beach-core/ports'
import { LruMap, timeOfId } from '@cool-ai/beach-core/runtime'
import { HourlyLog, type Listed } from '../hourly/hourly-log.ts'
import { errorEntry, type ErrorEntry } from './error-entry.ts'

const hourMs = 60 * 60_000
const keptMs = 7 * 24 * hourMs
const flushMs = 1_000
/** Of one path and code in an hour and a process: a caller who is refused all the time must not fill the store. */
const maxOfKind = 60
const maxInHour = 2_000
const maxWaiting = 500
/** How many of the newest are looked through for an id that does not say when it was made. */
const maxSearched = 2_000

/**
 * The errors that callers were told of, by the ids in their answers: for each tenant a log for each hour, which all
 * processes write about once a second. It is bounded, and forgets after a week.
 */
export class ErrorRecord {
  readonly #log: HourlyLog<ErrorEntry>
  readonly #store: Store
  readonly #runtime: Runtime
  readonly #tenant: string
  readonly #process: string
  readonly #tenants = new LruMap<string>(1_000)
  readonly #counts = new Map<string, number>()
  #hour = 0
  #countInHour = 0
  #waiting: ErrorEntry[] = []
  #cancel: (() => void) | undefined
  #flushing: Promise<void> = Promise.resolve()
  #forgotten = 0

  constructor(store: Store, runtime: Runtime, { tenant, process }: { tenant: string; process: string }) {
    this.#log = new HourlyLog(store, 'inspect:errors')
    this.#store = store
    this.#runtime = runtime
    this.#tenant = tenant
    this.#process = process
  }

  /** Keeps an error that a caller was told of, as far as there is room. */
  readonly noted = (error: NotedError): void => {
    const { clock } = this.#runtime
    const entry = errorEntry(error, clock.now(), this.#process)
    if (this.#waiting.length >= maxWaiting || !this.#hasRoom(entry)) return
    this.#waiting.push(entry)
    this.#cancel ??= clock.timer(flushMs, () => void this.flush())
  }

  /** Writes what waits. */
  flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    this.#flushing = this.#flushing.then(() => this.#write())
    return this.#flushing
  }

  /** The error of an id; undefined when it is not on record. */
  async find(tenant: string, errorId: string): Promise<ErrorEntry | undefined> {
    await this.flush()
    const made = timeOfId(errorId)
    // The next hour may have begun when it was noted.
    for (const at of made === undefined ? [] : [made, made + hourMs]) {
      const found = (await this.#log.hour(tenant, at)).find((entry) => entry.errorId === errorId)
      if (found !== undefined) return found
    }
    const { items } = await this.#log.list(tenant, undefined, maxSearched)
    const listed = items.find((entry) => entry.errorId === errorId)
    if (listed === undefined) return undefined
    const { id: _, ...entry } = listed
    return entry
  }

  /** The errors of a tenant, newest first. */
  async list(tenant: string, after: string | undefined, limit: number): Promise<Page<Listed<ErrorEntry>>> {
    await this.flush()
    return this.#log.list(tenant, after, limit)
  }

  #hasRoom({ at, route = '', code }: ErrorEntry): boolean {
    const hour = Math.floor(at / hourMs)
    if (hour !== this.#hour) {
      this.#hour = hour
      this.#countInHour = 0
      this.#counts.clear()
    }
    const kind = `${route} ${code}`
    const count = this.#counts.get(kind) ?? 0
    if (count >= maxOfKind || this.#countInHour >= maxInHour) return false
    this.#counts.set(kind, count + 1)
    this.#countInHour++
    return true
  }

  async #write(): Promise<void> {
    const entries = this.#waiting
    this.#waiting = []
    if (entries.length === 0) return
    try {
      const filed = new Map<string, { tenant: string; at: number; entries: ErrorEntry[] }>()
      for (const entry of entries) {
        const { tenant, about } = await this.#placed(entry)
        const key = `${Math.floor(entry.at / hourMs)} ${tenant}`
        const group = filed.get(key) ?? { tenant, at: entry.at, entries: [] }
        group.entries.push(about)
        filed.set(key, group)
      }
      for (const { tenant, at, entries: together } of filed.values()) await this.#log.append(tenant, at, together)
      await this.#forget(filed.values())
    } catch (error) {
      // Most likely the store cannot be written, which is what the entries say.
      this.#waiting = [...entries, ...this.#waiting].slice(0, maxWaiting)
      this.#runtime.logger.log('warn', 'keeping errors for the inspector failed; it is tried again', { error })
      this.#cancel ??= this.#runtime.clock.timer(hourMs / 60, () => void this.flush())
    }
  }

  /** With the tenant of its session; a session that there is not is only what the caller has written. */
  async #placed(entry: ErrorEntry): Promise<{ tenant: string; about: ErrorEntry }> {
    const { session, ...rest } = entry
    if (session === undefined) return { tenant: this.#tenant, about: entry }
    const tenant = this.#tenants.get(session) ?? (await this.#tenantOf(session))
    if (tenant === undefined) return { tenant: this.#tenant, about: rest }
    this.#tenants.set(session, tenant)
    return { tenant, about: entry }
  }

  async #tenantOf(session: string): Promise<string | undefined> {
    const [first] = (await this.#store.read(session, 0, 1)).map(toLogged)
    return first?.event.type === 'sessionOpened' ? first.event.tenant : undefined
  }

  async #forget(written: Iterable<{ readonly tenant: string }>): Promise<void> {
    const now = this.#runtime.clock.now()
    if (Math.abs(now - this.#forgotten) < hourMs) return
    this.#forgotten = now
    for (const { tenant } of written) await this.#log.forget(tenant, now - keptMs)
  }
}
