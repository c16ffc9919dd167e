import type { Principal, Runtime, Store } from '@cool-ai/beach-core'
import { principalKey, type Page } from '@cool-ai/beach-core/ports'
import { LruMap } from '@cool-ai/beach-core/runtime'
import { HourlyLog, type Listed } from '../hourly/hourly-log.ts'

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

/** The same look again within this time, such as at the next page of a list, is the same look. */
const sameLookMs = 60_000

/**
 * What operators have looked at and done, for each tenant a log for each hour, which nothing changes or erases: it must
 * still say who erased a session when that session is gone.
 */
export class AuditLog {
  readonly #log: HourlyLog<AuditEntry>
  readonly #runtime: Runtime
  readonly #looks = new LruMap<number>(10_000)

  constructor(store: Store, runtime: Runtime) {
    this.#log = new HourlyLog(store, 'audit')
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
  list(tenant: string, after: string | undefined, limit: number): Promise<Page<Listed<AuditEntry>>> {
    return this.#log.list(tenant, after, limit)
  }

  #append({ tenant }: Principal, entry: AuditEntry): Promise<void> {
    return this.#log.append(tenant, entry.at, [entry])
  }
}
