import type { Principal, Runtime, Store } from '@cool-ai/beach-core'
import type { Audit, AuditRecord, Page } from '@cool-ai/beach-core/ports'
import { defined, LruMap } from '@cool-ai/beach-core/runtime'
import { AuditChain, chainLogs, logEntries, logName } from './audit-chain.ts'
import type { AuditEntry } from './audit-entry.ts'
import { AuditNames } from './audit-names.ts'
import { earlierEntries } from './earlier-entries.ts'

/** An entry as operators are shown it: with the person behind a pseudonym, where there still is one. */
export type ShownEntry = Omit<AuditEntry, 'n' | 'prev' | 'hash'> &
  Partial<Pick<AuditEntry, 'n' | 'hash'>> & { readonly id: string }

/** The same look again within this time, such as at the next page of a list, is the same look; so is a refusal. */
const sameMs = 60_000
/** Refusals that a process puts on record in a minute: an attacker must not fill the store. */
const refusalsPerMinute = 60

/**
 * Who saw, decided, changed and erased, of all tenants of an agent: chains of entries that nothing changes or erases. It
 * must still say who erased a session when that session is gone.
 */
export class AuditLog implements Audit {
  readonly names: AuditNames
  readonly #store: Store
  readonly #runtime: Runtime
  readonly #tenant: string
  readonly #chains = new Map<string, AuditChain>()
  readonly #recent = new LruMap<number>(10_000)
  readonly #written: ((entry: AuditEntry, tenant: string) => void) | undefined
  #refusals = { minute: 0, count: 0 }

  /** `written` is told of every entry that this process has written. */
  constructor(options: {
    store: Store
    runtime: Runtime
    tenant: string
    written?: ((entry: AuditEntry, tenant: string) => void) | undefined
  }) {
    this.#store = options.store
    this.#runtime = options.runtime
    this.#tenant = options.tenant
    this.#written = options.written
    this.names = new AuditNames(options.store, options.runtime)
  }

  async record({ by, tenant: of, kind, what, session, detail }: AuditRecord): Promise<void> {
    const tenant = of ?? (typeof by === 'string' ? this.#tenant : by.tenant)
    if (kind === 'refused' && !this.#mayRefuse()) return
    const name = typeof by === 'string' ? by : await this.names.nameOf(by)
    const at = this.#runtime.clock.now()
    const draft = defined({ at, by: name, kind, what, session, detail: detail?.slice(0, 1_000) })
    const key = kind === 'act' ? undefined : JSON.stringify([tenant, name, kind, what, session, detail])
    if (key !== undefined && Math.abs(at - (this.#recent.get(key) ?? -Infinity)) < sameMs) return
    const entry = await this.#chainOf(tenant).add(draft)
    if (key !== undefined) this.#recent.set(key, at)
    this.#written?.(entry, tenant)
  }

  /** Records a look at personal data, before it is shown. */
  look(by: Principal, what: string, about: Pick<AuditRecord, 'session' | 'detail'> = {}): Promise<void> {
    return this.record({ by, kind: 'look', what, ...about })
  }

  /** Records an action, before it is done. */
  act(by: Principal, what: string, about: Pick<AuditRecord, 'session' | 'detail'> = {}): Promise<void> {
    return this.record({ by, kind: 'act', what, ...about })
  }

  /** The entries of a tenant, newest first: those of the chain, then those of earlier releases. */
  async list(tenant: string, after: string | undefined, limit: number): Promise<Page<ShownEntry>> {
    const items: ShownEntry[] = []
    if (after === undefined || /^\d{1,12}$/.test(after)) {
      const below = after === undefined ? Infinity : Number(after)
      for (const log of await chainLogs(this.#store, tenant)) {
        const events = await logEntries(this.#store, logName(tenant, log))
        const entries = events.map(({ data }) => data as AuditEntry).filter(({ n }) => n < below)
        for (const { prev: _, ...entry } of entries.toReversed()) {
          if (items.length === limit) return { items, next: items.at(-1)?.id }
          items.push({ ...entry, by: await this.names.personOf(tenant, entry.by), id: String(entry.n) })
        }
      }
    }
    if (items.length === limit) {
      const { items: more } = await earlierEntries(this.#store, tenant, undefined, 1)
      return defined({ items, next: more.length > 0 ? items.at(-1)?.id : undefined })
    }
    const earlier = /^\d{13}\.\d{1,15}$/.test(after ?? '') ? after : undefined
    const rest = await earlierEntries(this.#store, tenant, earlier, limit - items.length)
    return defined({ items: [...items, ...rest.items], next: rest.next })
  }

  /** All entries of a tenant's chain, oldest first, as they are stored. */
  async *entries(tenant: string): AsyncGenerator<AuditEntry> {
    for (const log of (await chainLogs(this.#store, tenant)).toReversed()) {
      for (const { data } of await logEntries(this.#store, logName(tenant, log))) yield data as AuditEntry
    }
  }

  #chainOf(tenant: string): AuditChain {
    const chain = this.#chains.get(tenant) ?? new AuditChain(this.#store, tenant)
    this.#chains.set(tenant, chain)
    return chain
  }

  #mayRefuse(): boolean {
    const minute = Math.floor(this.#runtime.clock.now() / 60_000)
    if (minute !== this.#refusals.minute) this.#refusals = { minute, count: 0 }
    return ++this.#refusals.count <= refusalsPerMinute
  }
}
