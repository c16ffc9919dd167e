import { BeachError, type Clock, type Store } from '@cool-ai/beach-core'
import { Conflict, type Lease, type StoredEvent } from '@cool-ai/beach-core/ports'
import { DueSignal } from '../../packages/session/src/stores/claims.ts'
import { TailHub } from '../../packages/session/src/stores/tail-hub.ts'

/** How the database and the way to it behave, and which bug the store has. */
export interface PostgresFaults {
  /** The chance that a write's connection breaks before it is sent. */
  readonly cutBefore: number
  /** The chance that it breaks after the commit: the write took effect, and its process does not know. */
  readonly cutAfter: number
  /** The chance that a notification gets lost. */
  readonly lostNotification: number
  readonly bug?: PostgresBug | undefined
}

export type PostgresBug = 'repeats what was done' | 'trusts notifications'

export const calmPostgres: PostgresFaults = { cutBefore: 0, cutAfter: 0, lostNotification: 0 }

const maxAttempts = 4
const backstopMs = 5_000
const beatMs = 1_000
const slowestNoticeMs = 50

/** What the processes of a simulation share: the committed rows, and the channels of notifications. */
export class PostgresModel {
  readonly rows: Store
  readonly clock: Clock
  readonly random: () => number
  readonly processes = new Set<PostgresProcess>()

  constructor(rows: Store, clock: Clock, random: () => number) {
    this.rows = rows
    this.clock = clock
    this.random = random
  }

  /** Tells the other processes, each after its own time, unless that gets lost. */
  notify(sender: PostgresProcess, faults: PostgresFaults, tell: (process: PostgresProcess) => void): void {
    for (const process of this.processes) {
      if (process === sender || this.random() < faults.lostNotification) continue
      this.clock.timer(this.random() * slowestNoticeMs, () => tell(process))
    }
  }
}

/**
 * The store of one process as PostgreSQL's is: with followers of its own, which learn of others by notifications that may
 * get lost, and a look at the heads now and then; writes that are sent again when their connection breaks, also after
 * they took effect; claims that hear of what is due by notifications or at the next heartbeat.
 */
export class PostgresProcess implements Store {
  readonly #model: PostgresModel
  readonly #faults: PostgresFaults
  readonly #hub: TailHub
  readonly #due: DueSignal
  readonly #followed = new Set<string>()
  #closed = false
  /** Whether its process has died. */
  isGone = (): boolean => false

  constructor(model: PostgresModel, faults: PostgresFaults) {
    this.#model = model
    this.#faults = faults
    this.#due = new DueSignal(model.clock)
    this.#hub = new TailHub((session, after, limit) => model.rows.read(session, after, limit), {
      entered: (session) => {
        this.#followed.add(session)
        return false
      },
      left: (session) => this.#followed.delete(session),
    })
    model.processes.add(this)
    this.#every(beatMs, async () => this.#due.raise())
    if (faults.bug !== 'trusts notifications') this.#every(backstopMs, () => this.#compareHeads())
  }

  async append(session: string, expected: number, events: readonly unknown[], wakeAt?: number): Promise<number> {
    const head = await this.#written(
      (place) => this.#model.rows.append(session, place, events, wakeAt),
      session,
      expected,
      events,
    )
    this.#appended(session, expected, head, events)
    return head
  }

  async appendAndClaim(
    session: string,
    expected: number,
    events: readonly unknown[],
    begin: Parameters<Store['appendAndClaim']>[3],
  ): ReturnType<Store['appendAndClaim']> {
    const all = [...events, ...begin.events]
    let lease: Lease | undefined
    const head = await this.#written(
      async (place) => {
        const done = await this.#model.rows.appendAndClaim(session, place, events, begin)
        lease = done.lease
        return done.head
      },
      session,
      expected,
      events,
    )
    // The owner of a lease has an id of its own: a repeat finds out whether the first attempt got it.
    const isMine = lease !== undefined && (await lease.renew())
    const last = lease === undefined ? head : await this.#lastOf(session, expected, all)
    this.#appended(session, expected, last, lease === undefined ? events : all)
    return isMine && lease !== undefined ? { head: last, lease } : { head: last }
  }

  tail: Store['tail'] = (session, after, signal) => this.#hub.follow(session, after, signal)

  publish(session: string, live: unknown): void {
    this.#hub.publish(session, live)
    this.#model.notify(this, this.#faults, (process) => process.#hub.publish(session, live))
  }

  wake: Store['wake'] = async (session, at) => {
    await this.#model.rows.wake(session, at)
    this.#raise()
  }

  async claim(leaseMs: number, signal: AbortSignal): Promise<Lease | undefined> {
    while (!signal.aborted) {
      const look = new AbortController()
      const claim = this.#model.rows.claim(leaseMs, look.signal)
      look.abort()
      const lease = await claim
      if (lease !== undefined) {
        this.#hub.changed(lease.session)
        return this.#raising(lease)
      }
      await this.#due.wait(Infinity, signal)
    }
    return undefined
  }

  read: Store['read'] = (...args) => this.#model.rows.read(...args)
  bind: Store['bind'] = (...args) => this.#model.rows.bind(...args)
  list: Store['list'] = (...args) => this.#model.rows.list(...args)
  unbind: Store['unbind'] = (...args) => this.#model.rows.unbind(...args)
  saveSnapshot: Store['saveSnapshot'] = (...args) => this.#model.rows.saveSnapshot(...args)
  loadSnapshot: Store['loadSnapshot'] = (...args) => this.#model.rows.loadSnapshot(...args)
  erase: Store['erase'] = (...args) => this.#model.rows.erase(...args)
  drop: Store['drop'] = (...args) => this.#model.rows.drop(...args)

  async close(): Promise<void> {
    this.#closed = true
    this.#model.processes.delete(this)
    this.#hub.close()
  }

  /** Sends a write until it is acknowledged: a repeat that finds its own events in the log was done before. */
  async #written(
    write: (expected: number) => Promise<number>,
    session: string,
    expected: number,
    events: readonly unknown[],
  ): Promise<number> {
    const { random } = this.#model
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      if (random() < this.#faults.cutBefore) continue
      try {
        const head = await write(expected)
        if (random() >= this.#faults.cutAfter) return head
      } catch (error) {
        if (!(error instanceof Conflict) || attempt === 1) throw error
        if (this.#faults.bug === 'repeats what was done') return write(error.head)
        const own = await this.#own(session, expected, events)
        if (own === undefined) throw error
        return own
      }
    }
    throw new BeachError('STORE_UNAVAILABLE', 'The database cannot be reached right now.')
  }

  /** The last seq of these events, if they were appended after a place. */
  async #own(session: string, expected: number, events: readonly unknown[]): Promise<number | undefined> {
    const text = JSON.stringify(events)
    const after: StoredEvent[] = await this.#model.rows.read(session, expected)
    const place = after.findIndex(
      (_, index) => JSON.stringify(after.slice(index, index + events.length).map(({ data }) => data)) === text,
    )
    return place === -1 ? undefined : after[place + events.length - 1]?.seq
  }

  async #lastOf(session: string, expected: number, all: readonly unknown[]): Promise<number> {
    return (await this.#own(session, expected, all)) ?? expected
  }

  #appended(session: string, before: number, head: number, events: readonly unknown[]): void {
    this.#hub.appended(session, before, head, events)
    this.#model.notify(this, this.#faults, (process) => process.#hub.changed(session))
    this.#raise()
  }

  #raise(): void {
    this.#due.raise()
    this.#model.notify(this, this.#faults, (process) => process.#due.raise())
  }

  /** What a lease that is given back leaves due is told, or found at the next heartbeat. */
  #raising(lease: Lease): Lease {
    const release = async (nextWakeAt?: number) => {
      await lease.release(nextWakeAt)
      this.#raise()
    }
    return { session: lease.session, renew: () => lease.renew(), release }
  }

  #every(ms: number, run: () => Promise<void>): void {
    this.#model.clock.timer(ms, () => {
      if (this.#closed || this.isGone()) return void this.#model.processes.delete(this)
      void run().then(() => this.#every(ms, run))
    })
  }

  async #compareHeads(): Promise<void> {
    for (const session of this.#followed) {
      const last = (await this.#model.rows.read(session, 0)).at(-1)
      if (last !== undefined) this.#hub.reached(session, last.seq)
    }
  }
}
