import { hostname } from 'node:os'
import { BeachError, systemRuntime, type Runtime, type Store } from '@cool-ai/beach-core'
import { encodeCommit } from '@cool-ai/beach-core/log'
import {
  Conflict,
  type BoundKey,
  type Lease,
  type StoredEvent,
  type StoreHosts,
  type TailItem,
  type Use,
  type Used,
} from '@cool-ai/beach-core/ports'
import { isOver, UseCounts, type Wait } from '@cool-ai/beach-core/runtime'
import { DueSignal } from '../claims.ts'
import { LeaseTime } from '../lease-time.ts'
import { TailHub } from '../tail-hub.ts'

interface Row {
  seq: number
  text: string
}

interface Snapshot {
  seq: number
  foldVersion: number
  /** Absent where there was one that had to be erased. */
  text?: string
}

/** A store that lives and dies with the process: for tests, simulation and first tries. */
export class MemoryStore implements Store {
  readonly #runtime: Runtime
  readonly #due: DueSignal
  readonly #hub = new TailHub((session, after, limit) => this.read(session, after, limit))
  readonly #logs = new Map<string, Row[]>()
  readonly #time: LeaseTime
  readonly #wakes = new Map<string, Wait>()
  readonly #leases = new Map<string, { owner: string; until: number; ms: number }>()
  readonly #keys = new Map<string, Omit<BoundKey, 'key'>>()
  readonly #snapshots = new Map<string, Snapshot>()
  readonly #uses: UseCounts
  #seq = 0
  #closed = false

  constructor(options: { runtime?: Runtime } = {}) {
    this.#runtime = options.runtime ?? systemRuntime()
    this.#due = new DueSignal(this.#runtime.clock)
    this.#time = new LeaseTime(this.#runtime.clock)
    this.#uses = new UseCounts(this.#runtime.clock)
  }

  async append(session: string, expected: number, events: readonly unknown[], wakeAt?: number): Promise<number> {
    this.#append(session, expected, events)
    if (wakeAt !== undefined) this.#wake(session, wakeAt)
    return this.#seq
  }

  async appendAndClaim(
    session: string,
    expected: number,
    events: readonly unknown[],
    { events: started, leaseMs }: Parameters<Store['appendAndClaim']>[3],
  ): ReturnType<Store['appendAndClaim']> {
    const now = this.#runtime.clock.now()
    const isFree = (this.#leases.get(session)?.until ?? -Infinity) <= this.#leaseNow()
    this.#append(session, expected, isFree ? [...events, ...started] : events)
    if (isFree) return { head: this.#seq, lease: this.#lease(session, leaseMs) }
    this.#wake(session, now)
    return { head: this.#seq }
  }

  async read(
    session: string,
    after: number,
    limit = Number.POSITIVE_INFINITY,
    maxCharacters = Number.POSITIVE_INFINITY,
  ): Promise<StoredEvent[]> {
    this.#open()
    const rows = this.#logs.get(session) ?? []
    let low = 0
    for (let high = rows.length; low < high;) {
      const middle = (low + high) >>> 1
      if ((rows[middle]?.seq ?? 0) > after) high = middle
      else low = middle + 1
    }
    const page = rows.slice(low, low + limit)
    let characters = 0
    const first = page.findIndex(({ text }, index) => (characters += text.length) > maxCharacters && index > 0)
    return page.slice(0, first === -1 ? undefined : first).map(toStored)
  }

  tail(
    session: string,
    after: number,
    signal?: AbortSignal,
    wants?: (live: unknown) => boolean,
  ): AsyncIterable<readonly TailItem[]> {
    this.#open()
    return this.#hub.follow(session, after, signal, wants)
  }

  publish(session: string, live: unknown): void {
    this.#hub.publish(session, live)
  }

  async wake(session: string, at = this.#runtime.clock.now()): Promise<void> {
    this.#open()
    this.#wake(session, at)
  }

  async claim(leaseMs: number, signal: AbortSignal): Promise<Lease | undefined> {
    while (!signal.aborted && !this.#closed) {
      const session = this.#claimable()
      if (session !== undefined) return this.#lease(session, leaseMs)
      await this.#due.wait(this.#nextDue(), signal)
    }
    return undefined
  }

  async bind(key: string, value: string): Promise<string> {
    this.#open()
    const existing = this.#keys.get(key)
    if (existing === undefined) this.#keys.set(key, { value, at: this.#runtime.clock.now() })
    return existing?.value ?? value
  }

  async list(prefix: string, after = '', limit = 1_000): Promise<BoundKey[]> {
    this.#open()
    return [...this.#keys]
      .filter(([key]) => key.startsWith(prefix) && key > after)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .slice(0, limit)
      .map(([key, bound]) => ({ key, ...bound }))
  }

  async unbind(key: string): Promise<void> {
    this.#open()
    this.#keys.delete(key)
  }

  async replace(key: string, from: string, to: string): Promise<boolean> {
    this.#open()
    const bound = this.#keys.get(key)
    if (bound?.value !== from) return false
    this.#keys.set(key, { ...bound, value: to })
    return true
  }

  async logs(after = '', limit = 1_000): Promise<string[]> {
    this.#open()
    const names = [...this.#logs.keys()].filter((name) => name > after)
    return names.toSorted((one, other) => (one < other ? -1 : 1)).slice(0, limit)
  }

  async countUses(uses: readonly Use[]): Promise<readonly Used[]> {
    this.#open()
    return this.#uses.count(uses)
  }

  async saveSnapshot(session: string, seq: number, foldVersion: number, state: unknown): Promise<void> {
    this.#open()
    if (seq < (this.#snapshots.get(session)?.seq ?? 0)) return
    this.#snapshots.set(session, { seq, foldVersion, text: JSON.stringify(state) })
  }

  async loadSnapshot(session: string): Promise<{ seq: number; foldVersion: number; state: unknown } | undefined> {
    this.#open()
    const { seq = 0, foldVersion = 0, text } = this.#snapshots.get(session) ?? {}
    return text === undefined ? undefined : { seq, foldVersion, state: JSON.parse(text) as unknown }
  }

  async erase(session: string, events: readonly StoredEvent[]): Promise<void> {
    this.#open()
    const rows = this.#logs.get(session) ?? []
    const left = new Map(events.map(({ seq, data }) => [seq, JSON.stringify(data)]))
    for (const row of rows) row.text = left.get(row.seq) ?? row.text
    const head = rows.at(-1)
    if (head !== undefined) this.#snapshots.set(session, { seq: head.seq, foldVersion: 0 })
  }

  async drop(session: string): Promise<void> {
    this.#open()
    for (const table of [this.#logs, this.#wakes, this.#leases, this.#snapshots]) table.delete(session)
  }

  async hosts(maxLeases: number): Promise<StoreHosts> {
    const id = 'this'
    const leases = [...this.#leases].map(([session, { until }]) => ({ session, until, process: id }))
    const processes = [{ id, host: hostname(), pid: process.pid, seenAt: this.#runtime.clock.now() }]
    return { processes, leases: leases.toSorted((one, other) => one.until - other.until).slice(0, maxLeases) }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#hub.close()
    this.#due.raise()
  }

  #append(session: string, expected: number, events: readonly unknown[]): void {
    this.#open()
    const texts = encodeCommit(events)
    const rows = this.#logs.get(session) ?? []
    const head = rows.at(-1)?.seq ?? 0
    if (head !== expected) throw new Conflict(head)
    const added = texts.map((text) => ({ seq: ++this.#seq, text }))
    this.#logs.set(session, rows)
    rows.push(...added)
    this.#hub.appended(session, head, this.#seq, events)
  }

  #open(): void {
    if (this.#closed) throw new BeachError('STORE_CLOSED', 'The store is closed.')
  }

  #wake(session: string, at: number): void {
    const [before, since] = [this.#wakes.get(session), this.#runtime.clock.now()]
    const until = Math.max(at, since)
    if (before === undefined || until < before.until) this.#wakes.set(session, { since, until })
    this.#due.raise()
  }

  #claimable(): string | undefined {
    const now = this.#runtime.clock.now()
    const leaseNow = this.#leaseNow()
    for (const [session, lease] of this.#leases) {
      if (lease.until <= leaseNow) return session
      // The clock was set back since: a living holder renews it within that time.
      lease.until = Math.min(lease.until, now + lease.ms)
    }
    for (const [session, wake] of this.#wakes) if (isOver(wake, now) && !this.#leases.has(session)) return session
    return undefined
  }

  #leaseNow(): number {
    return this.#time.now(() => Math.max(...[...this.#leases.values()].map(({ ms }) => ms)))
  }

  #nextDue(): number {
    const times = [...this.#leases.values()].map(({ until }) => this.#time.end(until))
    for (const [session, { until }] of this.#wakes) if (!this.#leases.has(session)) times.push(until)
    return Math.min(...times)
  }

  #lease(session: string, leaseMs: number): Lease {
    const owner = this.#runtime.id('lease')
    const { clock } = this.#runtime
    this.#wakes.delete(session)
    this.#leases.set(session, { owner, until: clock.now() + leaseMs, ms: leaseMs })
    this.#due.raiseAt(clock.now() + leaseMs)
    const held = () => !this.#closed && this.#leases.get(session)?.owner === owner
    return {
      session,
      renew: async () => {
        if (!held()) return false
        this.#leases.set(session, { owner, until: clock.now() + leaseMs, ms: leaseMs })
        return true
      },
      release: async (nextWakeAt) => {
        if (!held()) return
        this.#leases.delete(session)
        if (nextWakeAt !== undefined) this.#wake(session, nextWakeAt)
        // Otherwise there is nothing to claim that was not there before.
        else if (this.#wakes.has(session)) this.#due.raise()
      },
    }
  }
}

function toStored(row: Row): StoredEvent {
  return { seq: row.seq, data: JSON.parse(row.text) as unknown }
}
