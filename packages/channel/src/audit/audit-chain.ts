import type { Store } from '@cool-ai/beach-core'
import { Conflict, type StoredEvent } from '@cool-ai/beach-core/ports'
import { firstHash, hashOf, type AuditEntry } from './audit-entry.ts'

/** The logs of a chain: each has so many entries, so that the newest are found without reading all of them. */
export const entriesPerLog = 1_000
const maxLogs = 9_999_999_999
const maxConflicts = 200
const pageSize = 500

type Draft = Omit<AuditEntry, 'n' | 'prev' | 'hash'>

/** Where the chain ends: the log, how many entries that has, its head, and the last entry. */
interface End {
  readonly log: number
  readonly count: number
  readonly head: number
  readonly n: number
  readonly hash: string
}

interface Waiting {
  readonly draft: Draft
  readonly done: (entry: AuditEntry) => void
  readonly failed: (error: unknown) => void
}

/**
 * The record of one tenant as a chain of hashes, written by all processes on the store: each append names the head that it
 * has seen, and is done again on the new one when another process came first.
 */
export class AuditChain {
  readonly #store: Store
  readonly #tenant: string
  readonly #waiting: Waiting[] = []
  #end: End | undefined
  #isWriting = false

  constructor(store: Store, tenant: string) {
    this.#store = store
    this.#tenant = tenant
  }

  /** Entries that are added at the same time are written together. */
  add(draft: Draft): Promise<AuditEntry> {
    const added = new Promise<AuditEntry>((done, failed) => this.#waiting.push({ draft, done, failed }))
    if (!this.#isWriting) void this.#write()
    return added
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, entriesPerLog)
      try {
        for (let at = 0; at < batch.length;) at += await this.#append(batch.slice(at))
      } catch (error) {
        // What was written is not known: it is read before the next entry.
        this.#end = undefined
        for (const { failed } of batch) failed(error)
      }
    }
    this.#isWriting = false
  }

  /** Writes as many as the log has room for; returns how many. */
  async #append(batch: readonly Waiting[]): Promise<number> {
    for (let conflicts = 0; ; conflicts++) {
      const end = await this.#open()
      const taken = batch.slice(0, entriesPerLog - end.count)
      const entries = chained(
        taken.map(({ draft }) => draft),
        end,
      )
      try {
        const head = await this.#store.append(logName(this.#tenant, end.log), end.head, entries)
        const { n, hash } = entries.at(-1) ?? end
        this.#end = { log: end.log, count: end.count + entries.length, head, n, hash }
        for (const [index, entry] of entries.entries()) taken[index]?.done(entry)
        return taken.length
      } catch (error) {
        if (!(error instanceof Conflict) || conflicts >= maxConflicts) throw error
        this.#end = await this.#readOn(end)
      }
    }
  }

  /** The end of the chain, in a log that has room. */
  async #open(): Promise<End> {
    this.#end ??= await this.#load()
    while (this.#end.count >= entriesPerLog) {
      const { log, n, hash } = this.#end
      this.#end = await this.#readOn({ log: log + 1, count: 0, head: 0, n, hash })
    }
    // First the key, by which the log is found: without entries it is harmless.
    if (this.#end.count === 0) await this.#store.bind(logKey(this.#tenant, this.#end.log), '')
    return this.#end
  }

  async #load(): Promise<End> {
    const prefix = chainPrefix(this.#tenant)
    const [newest, before] = await this.#store.list(prefix, undefined, 2)
    const start: End = { log: 0, count: 0, head: 0, n: 0, hash: firstHash(this.#tenant) }
    if (newest === undefined) return start
    const log = logOf(newest.key)
    const end = await this.#readOn({ ...start, log })
    if (end.count > 0 || before === undefined) return end
    // Its key was bound, and nothing written: the chain ends in the one before.
    return this.#readOn({ ...start, log: logOf(before.key) })
  }

  async #readOn(end: End): Promise<End> {
    const name = logName(this.#tenant, end.log)
    for (let at = end; ;) {
      const page = await this.#store.read(name, at.head, pageSize)
      const last = page.at(-1)
      if (last === undefined) return at
      const { n, hash } = last.data as AuditEntry
      at = { log: at.log, count: at.count + page.length, head: last.seq, n, hash }
    }
  }
}

function chained(drafts: readonly Draft[], { n, hash }: Pick<End, 'n' | 'hash'>): AuditEntry[] {
  let before = { n, hash }
  return drafts.map((draft) => {
    const entry = { ...draft, n: before.n + 1, prev: before.hash }
    const done = { ...entry, hash: hashOf(entry) }
    before = done
    return done
  })
}

/** The logs of a tenant's chain, the newest first. */
export async function chainLogs(store: Pick<Store, 'list'>, tenant: string): Promise<readonly number[]> {
  const logs: number[] = []
  for (let after: string | undefined; ;) {
    const page = await store.list(chainPrefix(tenant), after, pageSize)
    logs.push(...page.map(({ key }) => logOf(key)))
    after = page.at(-1)?.key
    if (page.length < pageSize) return logs
  }
}

/** The tenants that have a record. */
export async function auditedTenants(store: Pick<Store, 'list'>): Promise<readonly string[]> {
  const tenants = new Set<string>()
  for (let after: string | undefined; ;) {
    const page = await store.list(allChains, after, pageSize)
    for (const { key } of page) tenants.add(decodeURIComponent(key.slice(allChains.length).split(':')[0] ?? ''))
    after = page.at(-1)?.key
    if (page.length < pageSize) return [...tenants].toSorted()
  }
}

/** The entries of one log as they are stored, whatever was done to them. */
export async function logEntries(store: Pick<Store, 'read'>, name: string): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const page = await store.read(name, events.at(-1)?.seq ?? 0, pageSize)
    if (page.length === 0) return events
    events.push(...page)
  }
}

export function logName(tenant: string, log: number): string {
  return `audit-chain:${encodeURIComponent(tenant)}:${log}`
}

const allChains = 'audit-chain:'
const chainPrefix = (tenant: string) => `${allChains}${encodeURIComponent(tenant)}:`
// The newest come first in the order of keys.
const logKey = (tenant: string, log: number) => chainPrefix(tenant) + String(maxLogs - log).padStart(10, '0')
const logOf = (key: string) => maxLogs - Number(key.slice(-10))
