import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { BeachError, systemClock, type Runtime } from '@cool-ai/beach-core'
import { Conflict } from '@cool-ai/beach-core/ports'
import { holdProcess } from '@cool-ai/beach-core/runtime'
import { isBusy, LockWait, type SqliteFile } from '@cool-ai/beach-core/sqlite'
import type { Statements } from './statements.ts'

interface Job {
  readonly durable: boolean
  readonly run: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

export interface WriteOptions {
  /** Must survive a power failure. */
  readonly durable: boolean
  /** No caller waits for it: it goes with the next write, or by itself after a moment. */
  readonly soon?: boolean | undefined
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

const maxPerTransaction = 1_000
const soonMs = 20
// One message alone has up to three: the message, its session's entry in the list, the end of a lease before it.
const alone = 3
const many = 8

/**
 * Group commit: writes of one turn of the event loop share a transaction and, when any of them must survive a power
 * failure, one sync to disk. A lock held by another process is waited for with timers, never by blocking. Nothing is
 * acknowledged that was written to a file which is no longer at its path.
 */
export class WriteQueue {
  readonly #db: DatabaseSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #runtime: Runtime
  readonly #heads: Pick<Statements, 'begun' | 'forget'>
  readonly #file: SqliteFile
  readonly #idle: (() => void)[] = []
  #jobs: Job[] = []
  #scheduled = false
  /** How many writes the last transaction had, and whether it was in this turn of the event loop. */
  #together = 0
  #hasFlushed = false
  #cancelSoon: (() => void) | undefined
  /** While another process holds the lock. */
  #lockWait: { readonly wait: LockWait; readonly letProcessEnd: () => void } | undefined
  #synchronous = 'FULL'

  constructor(file: SqliteFile, runtime: Runtime, heads: Pick<Statements, 'begun' | 'forget'>) {
    const { db } = file
    this.#db = db
    this.#file = file
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#runtime = runtime
    this.#heads = heads
  }

  /** Runs `run` inside the next transaction. It must throw before it writes anything, or not at all. */
  write<Value>(run: () => Value, options: WriteOptions): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.#jobs.push({ durable: options.durable, run, resolve, reject })
      if (options.soon !== true || this.#scheduled) return this.#schedule()
      // By the machine's clock: a simulated one may stand still.
      this.#cancelSoon ??= systemClock.timer(soonMs, () => this.#schedule())
    })
  }

  /** Resolves when everything that was queued is written. */
  drained(): Promise<void> {
    if (this.#jobs.length === 0) return Promise.resolve()
    this.#schedule()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    // A single writer does not wait for others; only writes that follow from the same event come with it.
    if (this.#together <= alone && !this.#hasFlushed) return process.nextTick(() => this.#flush())
    setImmediate(() => {
      // Where many write at the same time, the write waits for pending writers: a sync to disk is expensive.
      if (this.#together >= many) setImmediate(() => this.#flush())
      else this.#flush()
    })
  }

  #flush(): void {
    this.#scheduled = false
    this.#cancelSoon?.()
    this.#cancelSoon = undefined
    this.#hasFlushed = true
    setImmediate(() => (this.#hasFlushed = false))
    const jobs = this.#jobs.slice(0, maxPerTransaction)
    this.#together = jobs.length
    const outcomes = this.#transaction(jobs)
    if (outcomes === 'busy') return this.#waitForLock()
    this.#lockWait?.letProcessEnd()
    this.#lockWait = undefined
    this.#jobs = this.#jobs.slice(jobs.length)
    for (const [index, { resolve, reject }] of jobs.entries()) {
      const outcome = outcomes[index]
      if (outcome !== undefined && 'value' in outcome) resolve(outcome.value as never)
      else reject(outcome?.error)
    }
    if (this.#jobs.length > 0) this.#schedule()
    else for (const resolve of this.#idle.splice(0)) resolve()
  }

  #transaction(jobs: readonly Job[]): 'busy' | Outcome[] {
    // Before as well: a write of SQLite behind a gap hides the gap.
    const failure = this.#file.look()
    if (failure !== undefined) return jobs.map(() => ({ error: failure }))
    try {
      const synchronous = jobs.some((job) => job.durable) ? 'FULL' : 'NORMAL'
      if (synchronous !== this.#synchronous) this.#db.exec(`PRAGMA synchronous = ${synchronous}`)
      this.#synchronous = synchronous
      this.#begin.run()
    } catch (error) {
      if (isBusy(error)) return 'busy'
      const failed = this.#file.storeError(error)
      return jobs.map(() => ({ error: failed }))
    }
    try {
      this.#heads.begun()
      const outcomes: Outcome[] = []
      for (const { run } of jobs) {
        try {
          outcomes.push({ value: run() })
        } catch (error) {
          // A conflict is an answer, not a failure of the transaction; anything else is.
          if (!(error instanceof Conflict)) throw error
          outcomes.push({ error })
        }
      }
      this.#commit.run()
      const lost = this.#file.look()
      return lost === undefined ? outcomes : jobs.map(() => ({ error: lost }))
    } catch (error) {
      this.#heads.forget()
      rollback(this.#db)
      if (isBusy(error)) return 'busy'
      // One write has failed (too large, disk full): each is tried alone, so that the others do not fail with it.
      return jobs.length === 1 ? [{ error: this.#file.storeError(error) }] : jobs.map((job) => this.#alone(job))
    }
  }

  #alone(job: Job): Outcome {
    const outcomes = this.#transaction([job])
    const error = new BeachError('STORE_BUSY', 'The database was locked. Try again.')
    return outcomes === 'busy' ? { error } : (outcomes[0] ?? { error })
  }

  #waitForLock(): void {
    this.#lockWait ??= { wait: new LockWait(this.#runtime, this.#file.path), letProcessEnd: holdProcess() }
    const { wait, letProcessEnd } = this.#lockWait
    const tooLong = wait.goesOn()
    if (tooLong === undefined) {
      this.#scheduled = true
      this.#runtime.clock.timer(1 + this.#runtime.random() * 4, () => this.#flush())
      return
    }
    letProcessEnd()
    this.#lockWait = undefined
    for (const job of this.#jobs.splice(0)) job.reject(tooLong)
    for (const resolve of this.#idle.splice(0)) resolve()
  }
}

function rollback(db: DatabaseSync): void {
  // SQLite has rolled back by itself after some errors; then there is no transaction to end.
  if (db.isTransaction) db.exec('ROLLBACK')
}
