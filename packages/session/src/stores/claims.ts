import type { Clock } from '@cool-ai/beach-core'
import type { Lease } from '@cool-ai/beach-core/ports'

/** The clock can be set: a waiter for a time looks again after this at the latest. */
export const maxLookMs = 30_000

interface DueWaiter {
  until: number
  cancel?: () => void
  readonly resume: () => void
}

/** Lets claimers wait until something may have fallen due: a wake was set, a lease was given back, or time has come. */
export class DueSignal {
  readonly #clock: Clock
  readonly #waiting = new Set<DueWaiter>()
  /** Counts what was raised: a claimer that looks meanwhile may not have seen it. */
  raised = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The state changed: all waiters look again. */
  raise(): void {
    this.raised++
    for (const { resume } of this.#waiting) resume()
  }

  /** Something will fall due at this time, such as a lease that was just granted: all waiters look again by then. */
  raiseAt(at: number): void {
    this.raised++
    for (const waiting of this.#waiting) if (at < waiting.until) this.#arm(waiting, at)
  }

  /** Waits for `raise`, for the clock to reach `until` (as far as it is not set), or for the signal to abort. */
  wait(until: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const resume = () => {
        this.#waiting.delete(waiting)
        signal.removeEventListener('abort', resume)
        waiting.cancel?.()
        resolve()
      }
      const waiting: DueWaiter = { until, resume }
      if (until !== Infinity) this.#arm(waiting, until)
      this.#waiting.add(waiting)
      signal.addEventListener('abort', resume, { once: true })
    })
  }

  #arm(waiting: DueWaiter, at: number): void {
    waiting.cancel?.()
    waiting.until = at
    waiting.cancel = this.#clock.timer(Math.min(at - this.#clock.now(), maxLookMs), waiting.resume)
  }
}

/** A host that waits for a session, and how long it wants the lease. */
export interface Claimer {
  readonly leaseMs: number
}

/** What claiming needs of the database. */
export interface ClaimWork {
  /** When the next session can be claimed, as far as that is known: `-Infinity` at once. Looking takes no write lock. */
  nextDue(): Promise<number>
  /** Leases a session for each claimer in turn, all in one transaction, until there are no more. */
  lease(claimers: Iterable<Claimer>): Promise<Lease[]>
}

interface Waiting extends Claimer {
  readonly signal: AbortSignal
  readonly resolve: (lease: Lease | undefined) => void
  readonly reject: (error: unknown) => void
}

const forever = new AbortController().signal

/** The claimers of a session. One look and one transaction serve all of them: claims are grouped as appends are. */
export class Claims {
  readonly #due: DueSignal
  readonly #work: ClaimWork
  readonly #waiting = new Set<Waiting>()
  readonly #lookAgain = () => this.#due.raise()
  #serving = false

  constructor(due: DueSignal, work: ClaimWork) {
    this.#due = due
    this.#work = work
  }

  /** Whether what falls due now is taken here. */
  get areWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** A lease, or undefined once the signal aborts. */
  wait(leaseMs: number, signal: AbortSignal): Promise<Lease | undefined> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return resolve(undefined)
      this.#waiting.add({ leaseMs, signal, resolve, reject })
      // The same function each time, so that a signal has it once, however many claims it is used for.
      signal.addEventListener('abort', this.#lookAgain, { once: true })
      if (!this.#serving) void this.#serve()
    })
  }

  /** Runs while there are claimers. Only this loop answers them, so no lease goes to a claimer that has left. */
  async #serve(): Promise<void> {
    this.#serving = true
    try {
      while (this.#hasClaimers()) {
        const { raised } = this.#due
        const at = await this.#work.nextDue()
        if (at === -Infinity) await this.#give()
        // What was raised during this look could not wake a loop that did not sleep yet, nor could a claimer that left.
        else if (this.#hasClaimers() && this.#due.raised === raised) await this.#due.wait(at, forever)
      }
    } catch (error) {
      for (const waiting of this.#waiting) waiting.reject(error)
      this.#waiting.clear()
    } finally {
      this.#serving = false
    }
  }

  #hasClaimers(): boolean {
    for (const waiting of this.#waiting) if (waiting.signal.aborted) this.#answer(waiting)
    return this.#waiting.size > 0
  }

  async #give(): Promise<void> {
    const claimers = [...this.#waiting]
    const leases = await this.#work.lease(claimers)
    for (const [index, lease] of leases.entries()) {
      const waiting = claimers[index]
      if (waiting !== undefined) this.#answer(waiting, lease)
    }
  }

  #answer(waiting: Waiting, lease?: Lease): void {
    this.#waiting.delete(waiting)
    waiting.resolve(lease)
  }
}
