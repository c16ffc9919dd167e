import {
  BeachError,
  isBeachError,
  sleep,
  systemClock,
  systemRuntime,
  type Runtime,
  type Store,
} from '@cool-ai/beach-core'
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
import {
  encodeKey,
  escapeNull,
  unescapeNull,
  type PostgresDatabase,
  type Statement,
  type Written,
} from '@cool-ai/beach-core/postgres'
import { Claims, DueSignal, type Claimer } from '../claims.ts'
import { LeaseTime } from '../lease-time.ts'
import { TailHub } from '../tail-hub.ts'
import { HeldLeases } from './held-leases.ts'
import type { LiveBus } from './live-bus.ts'
import { OtherProcesses } from './other-processes.ts'
import { eventsIn, type AppendRow } from './rows.ts'
import { sessionTables } from './schema.ts'
import { SharedUses, useTables } from './shared-uses.ts'
import { statements, type Statements } from './statements.ts'

export type { LiveBus } from './live-bus.ts'
export { sessionTables } from './schema.ts'
export { useTables } from './shared-uses.ts'
export {
  isPostgresEmpty,
  lockedKey,
  readPostgresSessions,
  setKey,
  writePostgresSessions,
} from '../moving/postgres-sessions.ts'

/** Which database a store uses, and how. */
export interface PostgresStoreOptions {
  readonly database: PostgresDatabase
  readonly runtime?: Runtime | undefined
  /** Carries live text between processes in place of the database's notifications. */
  readonly liveBus?: LiveBus | undefined
}

const maxRowsRead = 500
const maxBytesRead = 4 * 1024 * 1024
const defaultLeaseMs = 10_000
const backstopMs = 5_000
const headsAtOnce = 500
const maxGrouped = 50_000
const readAgainMs = 500

/** The store for several machines: one PostgreSQL database, shared by any number of processes. */
export class PostgresStore implements Store {
  readonly #runtime: Runtime
  readonly #database: PostgresDatabase
  readonly #sql: Statements
  readonly #uses: SharedUses
  readonly #due: DueSignal
  readonly #time: LeaseTime
  readonly #claims: Claims
  readonly #hub: TailHub
  readonly #leased: HeldLeases
  #longestMs = defaultLeaseMs
  #others: OtherProcesses | undefined
  #cancelBackstop = () => {}
  #closed = false

  /** Opens the store in a database, and makes its tables if they are missing. */
  static async open(options: PostgresStoreOptions): Promise<PostgresStore> {
    const { database, runtime = systemRuntime(), liveBus } = options
    await database.use(sessionTables)
    await database.use(useTables)
    // One user of the database, with two components.
    await database.close()
    const store = new PostgresStore(database, runtime)
    try {
      await store.#start(liveBus)
      return store
    } catch (error) {
      await database.close()
      throw error
    }
  }

  private constructor(database: PostgresDatabase, runtime: Runtime) {
    this.#runtime = runtime
    this.#database = database
    this.#sql = statements(database.schema)
    this.#uses = new SharedUses(database, runtime)
    this.#due = new DueSignal(database.clock)
    this.#time = new LeaseTime(database.clock)
    this.#leased = new HeldLeases(runtime.clock)
    this.#claims = new Claims(this.#due, { nextDue: this.#nextDue, lease: this.#lease })
    this.#hub = new TailHub((session, after, limit) => this.#readForTail(session, after, limit), {
      entered: (session) => this.#entered(session),
      left: (session) => this.#others?.followed.unfollow(session),
      failed: (error) => this.#mayReadAgain(error),
    })
  }

  async #start(liveBus: LiveBus | undefined): Promise<void> {
    this.#others = await OtherProcesses.open({
      database: this.#database,
      sql: this.#sql,
      runtime: this.#runtime,
      liveBus,
      events: {
        appended: (session) => this.#hub.changed(session),
        live: (session, live) => this.#hub.publish(session, live),
        isLeased: (session) => this.#leased.has(session),
        due: () => this.#due.raise(),
        missed: () => this.#hub.changedAll(),
      },
    })
    this.#lookAgain()
  }

  get process(): string | undefined {
    return this.#others?.id
  }

  async append(session: string, expected: number, events: readonly unknown[], wakeAt?: number): Promise<number> {
    const texts = encodeCommit(events)
    const data = texts.join('\n')
    const id = encodeKey(session)
    const values = [id, expected, texts.length, data]
    const written =
      wakeAt === undefined
        ? await this.#write(this.#appendOf(id, data), values)
        : await this.#write(this.#sql.appendAndWake, [...values, ...this.#wakeTimes(wakeAt)])
    const head = await this.#headAfter(session, expected, data, written)
    this.#appended(session, expected, head, events)
    if (wakeAt !== undefined) this.#raise()
    return head
  }

  async appendAndClaim(
    session: string,
    expected: number,
    events: readonly unknown[],
    { events: started, leaseMs }: Parameters<Store['appendAndClaim']>[3],
  ): ReturnType<Store['appendAndClaim']> {
    const both = [...events, ...started]
    const texts = encodeCommit(both)
    const [first, rest] = [texts.slice(0, events.length), texts.slice(events.length)]
    const owner = this.#runtime.id('lease')
    this.#longestMs = Math.max(this.#longestMs, leaseMs)
    const written = await this.#write(this.#sql.appendAndClaim, [
      encodeKey(session),
      expected,
      first.length,
      first.join('\n'),
      owner,
      this.#others?.id,
      Math.floor(this.#database.clock.now()),
      leaseMs,
      this.#leasesOverBy(),
      rest.length,
      rest.join('\n'),
    ])
    let head = await this.#headAfter(session, expected, first.join('\n'), written)
    let isMine = written.rows[0]?.mine === true
    if (written.rows.length === 0) {
      // The first attempt took effect, and only its answer was lost.
      isMine = (await this.#rows(this.#sql.owner, [encodeKey(session)]))[0]?.owner === owner
      if (isMine) head += rest.length
    }
    this.#appended(session, expected, head, isMine ? both : events)
    if (isMine) return { head, lease: this.#leaseOf(session, owner, leaseMs) }
    this.#raise()
    return { head }
  }

  async read(session: string, after: number, limit = Infinity, maxCharacters = Infinity): Promise<StoredEvent[]> {
    const events: StoredEvent[] = []
    let left = maxCharacters
    for (let place = after; events.length < limit;) {
      const rowLimit = Math.min(limit - events.length, maxRowsRead)
      const byteLimit = Math.min(4 * left, maxBytesRead)
      const rows = await this.#rows(this.#sql.read, [encodeKey(session), Math.max(place, 0), rowLimit, byteLimit])
      if (rows.length === 0) break
      const page = eventsIn(rows as unknown as AppendRow[], place, limit - events.length, left)
      const isTooMuch = events.length > 0 && page.characters > left
      if (isTooMuch || page.events.length === 0) break
      events.push(...page.events)
      left -= page.characters
      place = page.events.at(-1)?.seq ?? place
      if (page.isCut || left <= 0 || (rows.length < rowLimit && !isFull(rows, byteLimit))) break
    }
    return events
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
    this.#others?.publish(session, live, this.#leased.has(session))
  }

  async wake(session: string, at = this.#runtime.clock.now()): Promise<void> {
    await this.#write(this.#sql.wake, [encodeKey(session), ...this.#wakeTimes(at)])
    this.#raise()
  }

  async claim(leaseMs: number, signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#claims.wait(leaseMs, signal)
    } catch (error) {
      if (!isBeachError(error, 'STORE_CLOSED')) throw error
      return undefined
    }
  }

  async bind(key: string, value: string): Promise<string> {
    const at = Math.floor(this.#runtime.clock.now())
    const short = encodeKey(key)
    const whole = short.length < key.length ? escapeNull(key) : null
    const { rows } = await this.#write(this.#sql.bind, [short, escapeNull(value), at, whole])
    if (rows.length > 0) return value
    const [found] = await this.#rows(this.#sql.get, [encodeKey(key)])
    // It was unbound in between.
    return found === undefined ? this.bind(key, value) : unescapeNull(String(found.value))
  }

  async list(prefix: string, after = '', limit = 1_000): Promise<BoundKey[]> {
    const [from, to] = [encodeKey(prefix), `${encodeKey(prefix)}\u{10FFFF}`]
    const rows = await this.#rows(this.#sql.list, [from, to, encodeKey(after), limit])
    return rows.map(({ key, value, at }) => ({
      key: unescapeNull(String(key)),
      value: unescapeNull(String(value)),
      at: Number(at),
    }))
  }

  async unbind(key: string): Promise<void> {
    await this.#write(this.#sql.unbind, [encodeKey(key)])
  }

  async replace(key: string, from: string, to: string): Promise<boolean> {
    const { rows } = await this.#write(this.#sql.replace, [encodeKey(key), escapeNull(from), escapeNull(to)])
    return rows.length > 0
  }

  async logs(after = '', limit = 1_000): Promise<string[]> {
    const rows = await this.#rows(this.#sql.logs, [encodeKey(after), limit])
    return rows.map(({ session }) => unescapeNull(String(session)))
  }

  async countUses(uses: readonly Use[]): Promise<readonly Used[]> {
    this.#open()
    return this.#uses.count(uses)
  }

  async saveSnapshot(session: string, seq: number, foldVersion: number, state: unknown): Promise<void> {
    // A lost snapshot is folded again from the log, so its commit need not wait for the disk.
    const values = [encodeKey(session), seq, foldVersion, JSON.stringify(state)]
    await this.#write(this.#sql.saveSnapshot, values, { durable: false })
  }

  async loadSnapshot(session: string): Promise<{ seq: number; foldVersion: number; state: unknown } | undefined> {
    const [row] = await this.#rows(this.#sql.loadSnapshot, [encodeKey(session)])
    if (row === undefined) return undefined
    return { seq: Number(row.seq), foldVersion: Number(row.fold_version), state: JSON.parse(String(row.state)) }
  }

  async erase(session: string, events: readonly StoredEvent[]): Promise<void> {
    this.#open()
    const texts = new Map(events.map(({ seq, data }) => [seq, JSON.stringify(data)]))
    const id = encodeKey(session)
    await this.#database.transaction(async ({ rows }) => {
      // In one order, so that two that erase do not wait for each other.
      for (const seq of [...texts.keys()].toSorted((one, other) => one - other)) {
        const [row] = (await rows(this.#sql.holding, [id, seq])) as unknown as AppendRow[]
        if (row === undefined || seq > row.last) continue
        const lines = row.data.split('\n').map((text, index) => texts.get(row.seq + index) ?? text)
        await rows(this.#sql.rewrite, [id, row.seq, lines.join('\n')])
      }
      const [newest] = (await rows(this.#sql.newest, [id])) as unknown as AppendRow[]
      // An empty snapshot replaces it from now on, so that no process restores an earlier one.
      if (newest !== undefined) await rows(this.#sql.saveSnapshot, [id, newest.last, 0, '', false])
    })
    this.#hub.changed(session)
  }

  async drop(session: string): Promise<void> {
    this.#open()
    const id = encodeKey(session)
    await this.#database.transaction(async ({ rows }) => {
      for (let isKept = false; !isKept;) {
        const dropped = (await rows(this.#sql.dropEvents, [id])) as unknown as AppendRow[]
        const last = Math.max(...dropped.map((row) => row.last))
        // Where an append was quicker, it is dropped too.
        isKept = dropped.length === 0 || (await rows(this.#sql.keepLast, [id, last])).length > 0
      }
      await rows(this.#sql.dropSession, [id])
      await rows(this.#sql.dropSnapshot, [id])
    })
    this.#leased.end(session)
  }

  /** Writes, and so finds out whether the store can be written. */
  async check(): Promise<void> {
    this.#open()
    await this.#database.check()
  }

  async hosts(maxLeases: number): Promise<StoreHosts> {
    const processes = await this.#rows(this.#sql.processes, [])
    const leases = await this.#rows(this.#sql.leases, [maxLeases])
    return {
      processes: processes.map(({ id, seen, host, pid }) => {
        return { id: String(id), seenAt: Number(seen), host: String(host), pid: Number(pid) }
      }),
      leases: leases.map(({ session, process, due }) => {
        return { session: unescapeNull(String(session)), process: String(process), until: Number(due) }
      }),
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#cancelBackstop()
    this.#hub.close()
    this.#due.raise()
    await this.#others?.close()
    await this.#database.close()
  }

  #open(): void {
    if (this.#closed) throw new BeachError('STORE_CLOSED', 'The store is closed.')
  }

  async #write(statement: Statement, values: readonly unknown[], options = { durable: true }): Promise<Written> {
    this.#open()
    return this.#database.write(statement, values, options)
  }

  async #rows(statement: Statement, values: readonly unknown[]) {
    this.#open()
    return this.#database.rows(statement, values)
  }

  /** The head after an append; throws Conflict when nothing was written. */
  async #headAfter(session: string, expected: number, data: string, { rows, isRepeated }: Written): Promise<number> {
    const [row] = rows
    if (row !== undefined) return Number(row.last)
    const id = encodeKey(session)
    const [own] = isRepeated ? await this.#rows(this.#sql.own, [id, expected, data]) : []
    if (own !== undefined) {
      // Its connection broke, perhaps before the flush that would have been acknowledged with it.
      await this.#database.flush()
      return Number(own.last)
    }
    const [newest] = (await this.#rows(this.#sql.newest, [id])) as unknown as AppendRow[]
    throw new Conflict(newest === undefined || newest.last < newest.seq ? 0 : newest.last)
  }

  #appended(session: string, before: number, head: number, events: readonly unknown[]): void {
    this.#hub.appended(session, before, head, events)
    this.#others?.appended(session)
  }

  /** Small appends are written together with those of other sessions; the database gives an odd id back as another one. */
  #appendOf(id: string, data: string): Statement {
    const { append, appendMany } = this.#sql
    return data.length <= maxGrouped && id.isWellFormed() ? { ...append, forMany: appendMany } : append
  }

  /** A wake by this machine's time, and now, both by the database's: what counts is how long it is until then. */
  #wakeTimes(at: number): [at: number, now: number] {
    const now = Math.floor(this.#database.clock.now())
    return [now + Math.max(0, Math.ceil(at - this.#runtime.clock.now())), now]
  }

  /** Something may be due: a claimer here takes it, or else one of another process. */
  #raise(): void {
    this.#due.raise()
    if (!this.#claims.areWaiting) this.#others?.due()
  }

  /** A tail begins. True when appends of other processes are told here already. */
  #entered(session: string): boolean {
    if (this.#leased.has(session) || this.#others?.followed.isRecorded(session) === true) return true
    void this.#others?.followed.follow(session)
    return false
  }

  async #readForTail(session: string, after: number, limit: number): Promise<StoredEvent[]> {
    // What is appended after it is on record is told; what was appended before is read now.
    if (!this.#leased.has(session)) await this.#others?.followed.follow(session)
    return this.read(session, after, limit)
  }

  /** A tail outlives the time in which the database cannot be reached. */
  async #mayReadAgain(error: unknown): Promise<void> {
    const isTransient = isBeachError(error, 'STORE_UNAVAILABLE') || isBeachError(error, 'STORE_BUSY')
    if (this.#closed || !isTransient) throw error
    await sleep(systemClock, readAgainMs)
  }

  readonly #nextDue = async (): Promise<number> => {
    const { clock } = this.#database
    if (this.#time.mayBeBehind) {
      const now = Math.floor(clock.now())
      const [found] = await this.#rows(this.#sql.isAhead, [now])
      if (found?.ahead === true) {
        // Leases run for their full time from now on, in which a living holder renews its own; wakes fall due.
        await this.#write(this.#sql.cutLeases, [now], { durable: false })
        await this.#write(this.#sql.cutWakes, [now], { durable: false })
      }
      this.#time.caughtUp()
    }
    const [row] = await this.#rows(this.#sql.nextDue, [])
    const [lease, wake] = [Number(row?.lease ?? Infinity), Number(row?.wake ?? Infinity)]
    if (wake <= clock.now() || lease <= this.#leasesOverBy()) return -Infinity
    return lease === Infinity ? wake : Math.min(wake, this.#time.end(lease))
  }

  /** Claims one session after the other, all in one round trip; another process may be quicker. */
  readonly #lease = async (claimers: Iterable<Claimer>): Promise<Lease[]> => {
    const waiting = [...claimers]
    const now = Math.floor(this.#database.clock.now())
    const limit = 2 * waiting.length
    const found = await this.#rows(this.#sql.claimable, [now, this.#leasesOverBy(), limit])
    const sessions = found.map(({ session }) => String(session))
    // Several processes look at the same list: each begins somewhere else.
    const start = sessions.length > waiting.length ? Math.floor(this.#runtime.random() * sessions.length) : 0
    const chosen = [...sessions.slice(start), ...sessions.slice(0, start)].slice(0, waiting.length)
    const leases = await Promise.all(
      chosen.map(async (session, index) => {
        const { leaseMs } = waiting[index] ?? { leaseMs: defaultLeaseMs }
        this.#longestMs = Math.max(this.#longestMs, leaseMs)
        const owner = this.#runtime.id('lease')
        const values = [session, owner, this.#others?.id, now, leaseMs, this.#leasesOverBy()]
        const { rows } = await this.#write(this.#sql.claim, values, { durable: false })
        return rows.length === 0 ? [] : [{ session: unescapeNull(session), owner, leaseMs }]
      }),
    )
    return leases.flat().map(({ session, owner, leaseMs }) => {
      // Others may have appended to it until now without telling this process.
      this.#hub.changed(session)
      return this.#leaseOf(session, owner, leaseMs)
    })
  }

  #leasesOverBy(): number {
    return Math.floor(this.#time.now(() => this.#longestMs))
  }

  #leaseOf(session: string, owner: string, leaseMs: number): Lease {
    const { clock } = this.#database
    const id = encodeKey(session)
    let isReleased = false
    this.#leased.begin(session, owner, leaseMs)
    this.#due.raiseAt(clock.now() + leaseMs)
    return {
      session,
      renew: async () => {
        if (this.#closed) return false
        const values = [id, owner, Math.floor(clock.now()) + leaseMs]
        const { rows } = await this.#write(this.#sql.renew, values, { durable: false })
        if (rows.length === 0) this.#ended(session, owner)
        else if (!isReleased) this.#leased.renewed(session, owner, leaseMs)
        return rows.length > 0
      },
      release: async (nextWakeAt) => {
        isReleased = true
        this.#ended(session, owner)
        if (this.#closed) return
        // No caller waits for it, and one that fails runs out.
        const times = nextWakeAt === undefined ? [null, Math.floor(clock.now())] : this.#wakeTimes(nextWakeAt)
        void this.#write(this.#sql.release, [id, owner, ...times], { durable: false }).then(
          ({ rows: [row] }) => row !== undefined && row.due !== null && this.#raise(),
          () => {},
        )
      },
    }
  }

  /** The lease is not this process's any more: what it still follows has to be on record. */
  #ended(session: string, owner?: string): void {
    if (!this.#leased.end(session, owner)) return
    this.#others?.released(session)
    if (!this.#hub.isFollowed(session) || this.#others?.followed.isRecorded(session) === true) return
    void this.#others?.followed.follow(session).then(() => this.#hub.changed(session))
  }

  /** Neither notifications nor hosts are reliable: leases and the heads of followed sessions are looked at now and then. */
  #lookAgain(): void {
    this.#cancelBackstop = this.#runtime.clock.timer(backstopMs, () => void this.#compareHeads())
  }

  async #compareHeads(): Promise<void> {
    for (const session of this.#leased.overdue()) this.#ended(session)
    const sessions = this.#others?.isAlone === true ? [] : (this.#others?.followed.all() ?? [])
    try {
      for (let start = 0; start < sessions.length; start += headsAtOnce) {
        const some = sessions.slice(start, start + headsAtOnce).map(encodeKey)
        for (const { session, last } of await this.#rows(this.#sql.heads, [some])) {
          this.#hub.reached(unescapeNull(String(session)), Number(last))
        }
      }
    } catch (error) {
      if (!isBeachError(error)) this.#runtime.logger.log('error', 'looking at followed sessions failed', { error })
    }
    if (!this.#closed) this.#lookAgain()
  }
}

/** Whether rows were left out because those before came to the limit. */
function isFull(rows: readonly Readonly<Record<string, unknown>>[], bytes: number): boolean {
  return rows.reduce((sum, { data }) => sum + Buffer.byteLength(String(data)), 0) >= bytes
}
