import type { Principal, Runtime, Store } from '@cool-ai/beach-core'
import { Conflict, principalKey, type Page } from '@cool-ai/beach-core/ports'
import { LruMap } from '@cool-ai/beach-core/runtime'

/** One entry of the record of operators: what one has looked at, or done. */
export interface AuditEntry {
  readonly at: number
  readonly by: string
  readonly kind: 'look' | 'act'
  /** Such as `session.events` or `approval.decide`. */
  readonly what: string
  readonly session?: string | undefined
  readonly detail?: string | undefined
}

const hourMs = 60 * 60 * 1_000
const farFuture = 9_999_999_999_999
const pageSize = 500
const hoursAtOnce = 50
const maxConflicts = 50
/** The same look again within this time, such as at the next page of a list, is the same look. */
const sameLookMs = 60_000

/**
 * What operators have looked at and done, for each tenant a log for each hour, which nothing changes or erases: it must
 * still say who erased a session when that session is gone.
 */
export class AuditLog {
  readonly #store: Store
  readonly #runtime: Runtime
  readonly #looks = new LruMap<number>(10_000)

  constructor(store: Store, runtime: Runtime) {
    this.#store = store
    this.#runtime = runtime
  }

  /** Records a look at personal data, before it is shown. */
  async look(
    by: Principal,
    what: string,
    { session, detail }: Pick<AuditEntry, 'session' | 'detail'> = {},
  ): Promise<void> {
    const key = [by.tenant, principalKey(by), what, session, detail].join('\n')
    const now = this.#runtime.clock.now()
    const last = this.#looks.get(key)
    if (last !== undefined && Math.abs(now - last) < sameLookMs) return
    await this.#append(by, { at: now, by: principalKey(by), kind: 'look', what, session, detail })
    this.#looks.set(key, now)
  }

  /** Records an action, before it is done. */
  async act(by: Principal, what: string, about: Pick<AuditEntry, 'session' | 'detail'> = {}): Promise<void> {
    await this.#append(by, { at: this.#runtime.clock.now(), by: principalKey(by), kind: 'act', what, ...about })
  }

  /** The entries of a tenant, newest first. */
  async list(tenant: string, after: string | undefined, limit: number): Promise<Page<AuditEntry & { id: string }>> {
    const prefix = keyPrefix(tenant)
    const [from = '', below = ''] = after?.split('.') ?? []
    const items: (AuditEntry & { id: string })[] = []
    // The hour itself, and those before it.
    let at = from === '' ? undefined : prefix + String(Number(from) - 1)
    for (;;) {
      const hours = await this.#store.list(prefix, at, hoursAtOnce)
      for (const { key, value: log } of hours) {
        const hour = key.slice(prefix.length)
        const entries = await this.#hour(log)
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

  async #hour(log: string): Promise<{ seq: number; entry: AuditEntry }[]> {
    const entries: { seq: number; entry: AuditEntry }[] = []
    for (let at = 0; ;) {
      const page = await this.#store.read(log, at, pageSize)
      entries.push(...page.map(({ seq, data }) => ({ seq, entry: data as AuditEntry })))
      at = page.at(-1)?.seq ?? at
      if (page.length < pageSize) return entries
    }
  }

  async #append({ tenant }: Principal, entry: AuditEntry): Promise<void> {
    const hour = Math.floor(entry.at / hourMs)
    const log = `audit:${encodeURIComponent(tenant)}:${hour}`
    // First the key, by which the hour is found: without entries it is harmless.
    await this.#store.bind(keyPrefix(tenant) + String(farFuture - hour * hourMs), log)
    for (let conflicts = 0, head = 0; ; conflicts++) {
      try {
        await this.#store.append(log, head, [entry])
        return
      } catch (error) {
        if (!(error instanceof Conflict) || conflicts >= maxConflicts) throw error
        head = error.head
      }
    }
  }
}

function keyPrefix(tenant: string): string {
  return `audit:${encodeURIComponent(tenant)}:`
}
