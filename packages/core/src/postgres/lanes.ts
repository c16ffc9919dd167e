import { elapsed, sleep, type Clock } from '../clock.ts'
import { BeachError } from '../errors.ts'
import { keepAlive } from '../keep-alive.ts'
import type { Connection, Row } from './connection.ts'
import { groupWrites, rowsOf } from './grouped-writes.ts'
import { isConnectionLost, isRolledBack, toStoreError } from './postgres-errors.ts'

/** A statement that each connection prepares once, by its name. */
export interface Statement {
  readonly name: string
  readonly text: string
  /**
   * The same for many writes in one transaction: each parameter is the list of theirs. Its rows have the first parameter
   * of the write that they belong to as `key`.
   */
  readonly forMany?: Statement | undefined
}

/** What a write returned, and whether it was sent more than once: an earlier attempt may have taken effect. */
export interface Written {
  readonly rows: readonly Row[]
  readonly isRepeated: boolean
}

interface Job {
  readonly statement: Statement
  readonly values: readonly unknown[]
  readonly durable: boolean
  readonly deadline: number
  attempts: number
  isAlone: boolean
  /** It waited too long, and its caller was told so: what becomes of it is not told any more. */
  isRefused: boolean
  readonly resolve: (written: Written) => void
  readonly reject: (error: unknown) => void
}

export interface LanesOptions {
  /** Opens a connection in pipeline mode. */
  readonly connect: () => Promise<Connection>
  readonly clock: Clock
  /** False where sessions live on several servers, each with a log of its own: every commit waits for its own flush. */
  readonly sharesFlush: boolean
  /** False behind poolers that give statements to connections which have not prepared them. */
  readonly prepares: boolean
}

const laneCount = 2
const maxBatch = 64
const maxQueued = 5_000
const maxWaitMs = 5_000
const maxRollbacks = 5
const lookMs = 500
const firstPauseMs = 10
const maxPauseMs = 250

// A commit that waits until everything before it in the server's log is on disk.
const flush: Statement = { name: 'flush', text: `SELECT pg_logical_emit_message(true, 'beach', '')` }

/**
 * Makes the commit of a statement not wait for the disk when its last parameter says so. It is a column of the
 * statement's result.
 */
export function relaxed(parameter: number): string {
  return `CASE WHEN $${parameter}::boolean THEN set_config('synchronous_commit', 'off', true) END AS relaxed`
}

/**
 * The statement with that column and without its effect: where sessions live on several servers, none of them takes a
 * function in RETURNING that changes something.
 */
function unrelaxed(text: string): string {
  return text.replaceAll(
    /CASE WHEN (\$\d+)::boolean THEN set_config\([^)]*\) END AS relaxed/g,
    '$1::boolean AS relaxed',
  )
}

/**
 * Writes, each a transaction of its own or in one with others of its kind, many in one round trip. While a batch is
 * under way the next one gathers. The commits of a batch do not wait for the disk one by one: one flush at its end covers them all, and only then are they
 * acknowledged. Whatever reads them meanwhile and writes on is flushed with or after them.
 *
 * A write whose connection breaks is sent again, so every statement must be one that may run twice. A write that is not
 * answered in time is refused, also when its connection is only silent. Once nothing has got through for a while, writes
 * are refused at once, all but the one that tries whether the server is there again.
 */
export class Lanes {
  readonly #options: LanesOptions
  readonly #lanes = Array.from({ length: laneCount }, (): Lane => ({ batch: [] }))
  readonly #idle: Lane[]
  readonly #drained: (() => void)[] = []
  #jobs: Job[] = []
  #running = 0
  #scheduled = false
  #isWatching = false
  /** Since when nothing gets through, and how often that was tried. */
  #failing: { readonly since: number; tries: number } | undefined
  #closed = false

  constructor(options: LanesOptions) {
    this.#options = options
    this.#idle = [...this.#lanes]
  }

  /** Sends a statement. One more parameter than its own says whether its commit may skip the wait for the disk. */
  write(statement: Statement, values: readonly unknown[], durable: boolean): Promise<Written> {
    return new Promise((resolve, reject) => {
      const now = elapsed(this.#options.clock)
      if (this.#closed) return reject(new BeachError('STORE_CLOSED', 'The store is closed.'))
      if (this.#jobs.length >= maxQueued) return reject(tooMany())
      const isFailing = now - (this.#failing?.since ?? now) > maxWaitMs
      if (isFailing && this.#running > 0) return reject(unreachable(false))
      const deadline = now + maxWaitMs
      this.#jobs.push({
        statement,
        values,
        durable,
        deadline,
        attempts: 0,
        isAlone: false,
        isRefused: false,
        resolve,
        reject,
      })
      this.#schedule()
    })
  }

  /** Resolves when everything that was sent is answered. */
  drained(): Promise<void> {
    if (this.#jobs.length === 0 && this.#running === 0) return Promise.resolve()
    return new Promise((resolve) => this.#drained.push(resolve))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.drained()
    for (const lane of this.#lanes) await lane.client?.end().catch(() => {})
  }

  #schedule(): void {
    if (this.#scheduled || this.#idle.length === 0) return
    this.#scheduled = true
    // Writes that follow from the same event go together.
    process.nextTick(() => {
      this.#scheduled = false
      for (let lane = this.#jobs.length > 0 ? this.#idle.pop() : undefined; lane; lane = this.#next())
        void this.#serve(lane)
    })
  }

  #next(): Lane | undefined {
    return this.#jobs.length > 0 ? this.#idle.pop() : undefined
  }

  /** Runs batches on one connection for as long as there are writes. */
  async #serve(lane: Lane): Promise<void> {
    this.#running++
    this.#watch()
    while (this.#jobs.length > 0) {
      try {
        const client = (lane.client ??= await this.#options.connect())
        await this.#run(lane, client, this.#jobs.splice(0, this.#batchSize()))
      } catch (error) {
        lane.client?.end().catch(() => {})
        lane.client = undefined
        await this.#pause(error)
      }
    }
    this.#running--
    this.#idle.push(lane)
    if (this.#running === 0) for (const resolve of this.#drained.splice(0)) resolve()
  }

  /** Fewer each time that nothing got through: one write that breaks its connection does not hold up all others. */
  #batchSize(): number {
    return Math.max(1, maxBatch >> (this.#failing?.tries ?? 0))
  }

  /** Throws when the connection broke: what it did not answer waits again. */
  async #run(lane: Lane, client: Connection, batch: readonly Job[]): Promise<void> {
    lane.batch = batch
    const { sharesFlush } = this.#options
    const writes = sharesFlush ? groupWrites(batch) : batch.map((job) => ({ ...job, writes: [job] }))
    const isShared = sharesFlush && writes.filter(({ durable }) => durable).length > 1
    const sent = writes.map(({ statement, values, durable }) =>
      client.query({ ...this.#named(statement), values: [...values, isShared || !durable] }),
    )
    const results = await Promise.allSettled(isShared ? [...sent, client.query(this.#named(flush))] : sent)
    lane.batch = []
    const broken = results.find((result) => result.status === 'rejected' && isConnectionLost(result.reason))
    const isFlushed = !isShared || results.at(-1)?.status === 'fulfilled'
    const again: Job[] = []
    for (const [index, write] of writes.entries()) {
      const result = results[index]
      for (const job of write.writes) {
        job.attempts++
        if (result?.status === 'fulfilled' && (isFlushed || !job.durable)) {
          job.resolve({ rows: rowsOf(result.value.rows, write, job), isRepeated: job.attempts > 1 })
        } else if (
          result?.status === 'rejected' &&
          write.writes.length === 1 &&
          !isWorthRepeating(result.reason, job)
        ) {
          job.reject(toStoreError(result.reason))
        } else {
          // One of a group that fails is the failure of all: they are sent again one by one.
          job.isAlone ||= result?.status === 'rejected'
          if (!job.isRefused) again.push(job)
        }
      }
    }
    this.#jobs.unshift(...again)
    // Also an error is an answer.
    const isAnswered = results.some((result) => result.status === 'fulfilled' || !isConnectionLost(result.reason))
    if (isAnswered) this.#failing = undefined
    if (broken !== undefined) throw (broken as PromiseRejectedResult).reason
  }

  #named(statement: Statement): { name?: string; text: string } {
    const { sharesFlush, prepares } = this.#options
    const text = sharesFlush ? statement.text : unrelaxed(statement.text)
    return prepares ? { name: statement.name, text } : { text }
  }

  /** Waits before the next try, longer each time that nothing got through; refuses writes that have waited too long. */
  async #pause(error: unknown): Promise<void> {
    const { clock } = this.#options
    this.#failing ??= { since: elapsed(clock), tries: 0 }
    this.#refuseLate(error)
    const { tries } = this.#failing
    this.#failing.tries++
    // A connection that was cut is replaced at once.
    const ms = tries === 0 ? 0 : Math.min(firstPauseMs * 2 ** (tries - 1), maxPauseMs)
    if (this.#jobs.length > 0 && ms > 0) await keepAlive(sleep(clock, ms))
  }

  #refuseLate(cause?: unknown): void {
    const now = elapsed(this.#options.clock)
    const isLate = ({ deadline }: Job) => deadline <= now
    for (const job of this.#jobs.filter(isLate)) job.reject(unreachable(job.attempts > 0, cause))
    this.#jobs = this.#jobs.filter((job) => !isLate(job))
    for (const job of this.#lanes.flatMap(({ batch }) => batch.filter(isLate))) {
      job.isRefused = true
      job.reject(unreachable(true, cause))
      this.#failing ??= { since: job.deadline - maxWaitMs, tries: 0 }
    }
  }

  /** A server that has stopped answering breaks no connection: while writes are under way their time is looked at. */
  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    this.#options.clock.timer(lookMs, () => {
      this.#isWatching = false
      this.#refuseLate()
      if (this.#running > 0) this.#watch()
    })
  }
}

interface Lane {
  client?: Connection | undefined
  /** What was sent and not answered. */
  batch: readonly Job[]
}

function isWorthRepeating(error: unknown, job: Job): boolean {
  return isConnectionLost(error) || (isRolledBack(error) && job.attempts <= maxRollbacks)
}

function tooMany(): BeachError {
  return new BeachError('STORE_BUSY', `${maxQueued} writes wait for the database already. Try again later.`)
}

function unreachable(isSent: boolean, cause?: unknown): BeachError {
  return new BeachError('STORE_UNAVAILABLE', 'The database cannot be reached right now. Try again later.', {
    cause,
    details: isSent ? { outcome: 'unknown' } : {},
  })
}
