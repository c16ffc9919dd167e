import type { DatabaseSync } from 'node:sqlite'
import { BeachError, isBeachError, systemRuntime, type Runtime, type Store } from '@cool-ai/beach-core'
import { encodeCommit } from '@cool-ai/beach-core/log'
import type { BoundKey, Lease, StoredEvent, StoreHosts, TailItem, Use, Used } from '@cool-ai/beach-core/ports'
import { UseCounts } from '@cool-ai/beach-core/runtime'
import { openSqlite, whenFree, type SqliteFile } from '@cool-ai/beach-core/sqlite'
import { Claims, DueSignal, type Claimer } from '../claims.ts'
import { LeaseTime } from '../lease-time.ts'
import { TailHub } from '../tail-hub.ts'
import { OtherProcesses } from './other-processes.ts'
import { prepareDatabase } from './schema.ts'
import { statements, type Statements } from './statements.ts'
import { FileUses } from './file-uses.ts'
import { WriteQueue, type WriteOptions } from './write-queue.ts'

const whenDamaged =
  'Stop every process that uses it and copy what is readable into a new data folder: `npm run data -- rescue <folder> <new folder>`, or rescueData() of @cool-ai/beach.'

/** May be lost in a power failure. */
const unsynced: WriteOptions = { durable: false }

/** The embedded store: one SQLite file, safe under `kill -9`, shared by any number of processes of one machine. */
export class SqliteStore implements Store {
  readonly process: string
  readonly #runtime: Runtime
  readonly #file: SqliteFile
  readonly #sql: Statements
  readonly #queue: WriteQueue
  readonly #due: DueSignal
  readonly #time: LeaseTime
  readonly #claims: Claims
  readonly #hub: TailHub
  readonly #others: OtherProcesses
  readonly #ownUses: UseCounts
  readonly #fileUses: FileUses
  #closed = false

  static async open(options: { path: string; runtime?: Runtime }): Promise<SqliteStore> {
    const runtime = options.runtime ?? systemRuntime()
    const { path } = options
    const began = runtime.clock.now()
    const prepare = (db: DatabaseSync) => prepareDatabase(db, began)
    const file = await openSqlite({ path, runtime, prepare, whenDamaged })
    try {
      return await whenFree(runtime, file.path, () => new SqliteStore(file, runtime, began))
    } catch (error) {
      file.close()
      throw error
    }
  }

  private constructor(file: SqliteFile, runtime: Runtime, began: number) {
    this.#runtime = runtime
    this.#file = file
    this.#time = new LeaseTime(runtime.clock)
    this.#sql = statements(file.db, this.#time)
    this.#queue = new WriteQueue(file, runtime, this.#sql)
    this.#due = new DueSignal(runtime.clock)
    this.#claims = new Claims(this.#due, { nextDue: this.#nextDue, lease: this.#leases })
    this.#hub = new TailHub((session, after, limit) => this.read(session, after, limit))
    this.#others = new OtherProcesses(file, this.#queue, runtime, {
      appended: (session) => this.#hub.changed(session),
      live: (session, live) => this.#hub.publish(session, live),
      due: () => this.#due.raise(),
    })
    this.process = this.#others.id
    this.#ownUses = new UseCounts(runtime.clock)
    this.#fileUses = new FileUses(file.db)
    this.#others.lookForUnfinished(began, () => this.#warnOfLostJournal())
    this.#others.start()
  }

  #warnOfLostJournal(): void {
    const message =
      'the journal of the database is gone, though a process that used it did not end in order: what that process acknowledged last may be missing, and be done again'
    const { path } = this.#file
    this.#runtime.logger.log('warn', message, { path, journal: `${path}-wal` })
  }

  async append(session: string, expected: number, events: readonly unknown[], wakeAt?: number): Promise<number> {
    const texts = encodeCommit(events)
    const now = this.#runtime.clock.now()
    const head = await this.#write(() => {
      const last = this.#sql.append(session, this.#sql.place(session, expected), texts)
      if (wakeAt !== undefined) this.#sql.wake(session, wakeAt, now)
      return last
    })
    this.#hub.appended(session, expected, head, events)
    if (wakeAt !== undefined) this.#due.raise()
    return head
  }

  async appendAndClaim(
    session: string,
    expected: number,
    events: readonly unknown[],
    { events: started, leaseMs }: Parameters<Store['appendAndClaim']>[3],
  ): ReturnType<Store['appendAndClaim']> {
    const both = [...events, ...started]
    const all = encodeCommit(both)
    const owner = `${this.#others.id}~${this.#runtime.id('lease')}`
    const { head, isMine } = await this.#write(() => {
      const number = this.#sql.place(session, expected)
      const now = this.#runtime.clock.now()
      const isFree = this.#sql.lease(session, owner, now, leaseMs)
      const last = this.#sql.append(session, number, isFree ? all : all.slice(0, events.length))
      if (!isFree) this.#sql.wake(session, now, now)
      return { head: last, isMine: isFree }
    })
    this.#hub.appended(session, expected, head, isMine ? both : events)
    if (isMine) return { head, lease: this.#lease(session, owner, leaseMs) }
    this.#due.raise()
    return { head }
  }

  read(session: string, after: number, limit = -1, maxCharacters?: number): Promise<StoredEvent[]> {
    return this.#file.read(() => this.#sql.read(session, after, Number.isFinite(limit) ? limit : -1, maxCharacters))
  }

  tail(
    session: string,
    after: number,
    signal?: AbortSignal,
    wants?: (live: unknown) => boolean,
  ): AsyncIterable<readonly TailItem[]> {
    if (this.#closed) throw storeClosed()
    return this.#hub.follow(session, after, signal, wants)
  }

  publish(session: string, live: unknown): void {
    this.#hub.publish(session, live)
    this.#others.publish(session, live)
  }

  async wake(session: string, at = this.#runtime.clock.now()): Promise<void> {
    const now = this.#runtime.clock.now()
    await this.#write(() => this.#sql.wake(session, at, now))
    this.#due.raise()
  }

  async claim(leaseMs: number, signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#claims.wait(leaseMs, signal)
    } catch (error) {
      if (!isBeachError(error, 'STORE_CLOSED')) throw error
      return undefined
    }
  }

  bind(key: string, value: string): Promise<string> {
    return this.#write(() => this.#sql.bind(key, value, this.#runtime.clock.now()))
  }

  list(prefix: string, after = '', limit = 1_000): Promise<BoundKey[]> {
    return this.#file.read(() => this.#sql.list(prefix, after, limit))
  }

  unbind(key: string): Promise<void> {
    return this.#write(() => this.#sql.unbind(key))
  }

  replace(key: string, from: string, to: string): Promise<boolean> {
    return this.#write(() => this.#sql.replace(key, from, to))
  }

  logs(after = '', limit = 1_000): Promise<string[]> {
    return this.#file.read(() => this.#sql.logs(after, limit))
  }

  /** While no other process has the file open, only what has a strict limit, or lasts over restarts, is written. */
  async countUses(uses: readonly Use[]): Promise<readonly Used[]> {
    if (this.#closed) throw storeClosed()
    if (this.#others.areNone && uses.every(({ max, isLasting }) => max === undefined && isLasting !== true))
      return this.#ownUses.count(uses)
    return this.#write(() => this.#fileUses.count(uses, this.#runtime.clock.now()), unsynced)
  }

  saveSnapshot(session: string, seq: number, foldVersion: number, state: unknown): Promise<void> {
    const text = JSON.stringify(state)
    // A lost snapshot is folded again from the log, so it needs no sync of its own.
    return this.#write(() => this.#sql.saveSnapshot(session, seq, foldVersion, text), unsynced)
  }

  loadSnapshot(session: string): Promise<{ seq: number; foldVersion: number; state: unknown } | undefined> {
    return this.#file.read(() => this.#sql.loadSnapshot(session))
  }

  async erase(session: string, events: readonly StoredEvent[]): Promise<void> {
    const texts = events.map(({ seq, data }) => ({ seq, text: JSON.stringify(data) }))
    await this.#write(() => this.#sql.erase(session, texts))
    await this.#file.emptyJournal()
  }

  drop(session: string): Promise<void> {
    return this.#write(() => this.#sql.drop(session))
  }

  /** Writes, and so finds out whether the store can be written. */
  async check(): Promise<void> {
    await this.#write(() => this.#sql.probe())
    await this.#write(() => this.#sql.forgetProbe(), unsynced)
  }

  hosts(maxLeases: number): Promise<StoreHosts> {
    return this.#file.read(() => ({ processes: this.#others.list(), leases: this.#sql.leases(maxLeases) }))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#hub.close()
    this.#due.raise()
    this.#others.stop()
    await this.#queue.drained()
    this.#file.close()
  }

  async #write<Value>(run: () => Value, options: WriteOptions = { durable: true }): Promise<Value> {
    if (this.#closed) throw storeClosed()
    return this.#queue.write(run, options)
  }

  readonly #nextDue = async (): Promise<number> => {
    if (this.#closed) throw storeClosed()
    const { clock } = this.#runtime
    if (this.#time.mayBeBehind) {
      const isAhead = await this.#file.read(() => this.#sql.isAhead(clock.now()))
      if (isAhead) await this.#write(() => this.#sql.bringBack(clock.now()), unsynced)
      this.#time.caughtUp()
    }
    return this.#file.read(() => this.#sql.nextDue(clock.now()))
  }

  /** Leases need no sync: after a power failure no process holds one anyway. */
  readonly #leases = (claimers: Iterable<Claimer>): Promise<Lease[]> => {
    const claimAll = () => {
      const leases: Lease[] = []
      for (const { leaseMs } of claimers) {
        const owner = `${this.#others.id}~${this.#runtime.id('lease')}`
        const session = this.#sql.claim(owner, this.#runtime.clock.now(), leaseMs)
        if (session === undefined) break
        leases.push(this.#lease(session, owner, leaseMs))
      }
      return leases
    }
    return this.#write(claimAll, unsynced)
  }

  #lease(session: string, owner: string, leaseMs: number): Lease {
    const { clock } = this.#runtime
    this.#due.raiseAt(clock.now() + leaseMs)
    return {
      session,
      renew: async () => {
        if (this.#closed) return false
        return this.#write(() => this.#sql.renew(session, owner, clock.now() + leaseMs), unsynced)
      },
      release: async (nextWakeAt) => {
        if (this.#closed) return
        // No caller waits for it: it goes with the next write, or after a moment. One that fails runs out.
        const now = clock.now()
        const options = { ...unsynced, soon: true }
        void this.#write(() => this.#sql.release(session, owner, now, nextWakeAt), options).then(
          (isDue) => isDue && this.#due.raise(),
          () => {},
        )
      },
    }
  }
}

function storeClosed(): BeachError {
  return new BeachError('STORE_CLOSED', 'The store is closed.')
}
