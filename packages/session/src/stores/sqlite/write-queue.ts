import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { BeachError, systemClock, type Runtime } from '@cool-ai/beach-core'
import { Conflict } from '@cool-ai/beach-core/ports'
import { holdProcess } from '@cool-ai/beach-core/runtime'
import { isBusy, LockWait, type OpenSqlite } from '@cool-ai/beach-core/sqlite'
import type { HeadCache } from './head-cache.ts'

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
  readonly #heads: HeadCache
  readonly #guard: OpenSqlite['guard']
  readonly #lockWait: LockWait
  readonly #idle: (() => void)[] = []
  #jobs: Job[] = []
  #scheduled = false
  /** How many writes the last transaction had, and whether it was in this turn of the event loop. */
  #together = 0
  #hasFlushed = false
  #cancelSoon: (() => void) | undefined
  #letProcessEnd: (() => void) | undefined
  #synchronous = 'FULL'

  constructor({ db, guard, path }: OpenSqlite, runtime: Runtime, standing: HeadCache) {
    this.#db = db
    this.#guard = guard
    this.#lockWait = new LockWait(runtime, path)
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#runtime = runtime
    this.#heads = standing
  }

  /** Runs `run` inside the next transaction. It must throw before it writes anything, or not at all. */
  write<Value>(run: () => Value, options: WriteOptions): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.#jobs.push({ durable: options.durable, run, resolve, reject })
      if (options.soon === true) this.#scheduleSoon()
      else this.#schedule()
    })
  }

  /** False once the file is not at its path any more, or damaged: then every write is rejected. */
  isUsable(): boolean {
    return this.#guard.look() === undefined
  }

  /** Resolves when everything that was queued is written. */
  drained(): Promise<void> {
    if (this.#jobs.length === 0) return Promise.resolve()
    this.#schedule()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  #scheduleSoon(): void {
    if (this.#scheduled) return
    // By the machine's clock: a simulated one may stand still.
    this.#cancelSoon ??= systemClock.timer(soonMs, () => this.#schedule())
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
    this.#lockIsFree()
    this.#jobs = this.#jobs.slice(jobs.length)
    jobs.forEach((job, index) => settle(job, outcomes[index]))
    if (this.#jobs.length > 0) this.#schedule()
    else for (const resolve of this.#idle.splice(0)) resolve()
  }

  #transaction(jobs: readonly Job[]): 'busy' | Outcome[] {
    // Before as well: what SQLite writes behind a gap hides it.
    const failure = this.#guard.look()
    if (failure !== undefined) return jobs.map(() => ({ error: failure }))
    try {
      this.#setSynchronous(jobs.some((job) => job.durable))
      this.#begin.run()
    } catch (error) {
      if (isBusy(error)) return 'busy'
      const failed = this.#guard.storeError(error)
      return jobs.map(() => ({ error: failed }))
    }
    try {
      this.#heads.begun()
      const outcomes = jobs.map(attempt)
      this.#commit.run()
      const lost = this.#guard.look()
      return lost === undefined ? outcomes : jobs.map(() => ({ error: lost }))
    } catch (error) {
      this.#heads.forget()
      rollback(this.#db)
      if (isBusy(error)) return 'busy'
      // One write is at fault (too large, disk full): each is tried alone, so that the others do not fail with it.
      return jobs.length === 1 ? [{ error: this.#guard.storeError(error) }] : jobs.map((job) => this.#alone(job))
    }
  }

  #alone(job: Job): Outcome {
    const outcomes = this.#transaction([job])
    const error = new BeachError('STORE_BUSY', 'The database was locked. Try again.')
    return outcomes === 'busy' ? { error } : (outcomes[0] ?? { error })
  }

  #setSynchronous(durable: boolean): void {
    const wanted = durable ? 'FULL' : 'NORMAL'
    if (wanted === this.#synchronous) return
    this.#db.exec(`PRAGMA synchronous = ${wanted}`)
    this.#synchronous = wanted
  }

  #waitForLock(): void {
    const tooLong = this.#lockWait.goesOn()
    if (tooLong !== undefined) {
      this.#lockIsFree()
      for (const job of this.#jobs.splice(0)) job.reject(tooLong)
      for (const resolve of this.#idle.splice(0)) resolve()
      return
    }
    this.#letProcessEnd ??= holdProcess()
    this.#scheduled = true
    this.#runtime.clock.timer(1 + this.#runtime.random() * 4, () => this.#flush())
  }

  #lockIsFree(): void {
    this.#lockWait.over()
    this.#letProcessEnd?.()
    this.#letProcessEnd = undefined
  }
}

/** A conflict is an answer, not a failure of the transaction; anything else is. */
function attempt(job: Job): Outcome {
  try {
    return { value: job.run() }
  } catch (error) {
    if (error instanceof Conflict) return { error }
    throw error
  }
}

function settle(job: Job, outcome: Outcome | undefined): void {
  if (outcome !== undefined && 'value' in outcome) job.resolve(outcome.value as never)
  else job.reject(outcome?.error)
}

function rollback(db: DatabaseSync): void {
  // SQLite has rolled back by itself after some errors; then there is no transaction to end.
  if (db.isTransaction) db.exec('ROLLBACK')
}
