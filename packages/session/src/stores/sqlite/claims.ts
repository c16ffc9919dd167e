import type { Lease } from '@cool-ai/beach-core/ports'
import type { DueSignal } from '../due-signal.ts'

/** A host that waits for a session, and how long it wants the lease. */
export interface Waiter {
  readonly leaseMs: number
}

/** What claiming needs of the database. */
export interface ClaimWork {
  /** True when a session can be claimed now; looking costs no write lock. */
  isDue(): Promise<boolean>
  /** When the next session can be claimed, as far as that is known. */
  nextDue(): Promise<number | undefined>
  /** Leases a session for each waiter in turn, all in one transaction, until there are no more. */
  lease(waiters: Iterable<Waiter>): Promise<Lease[]>
}

interface Waiting extends Waiter {
  readonly signal: AbortSignal
  readonly resolve: (lease: Lease | undefined) => void
  readonly reject: (error: unknown) => void
}

const forever = new AbortController().signal

/** The waiters for a session. One look and one transaction serve all of them: claims are grouped as appends are. */
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

  /** Runs while there are waiters. Only this loop answers them, so no lease goes to a waiter that has left. */
  async #serve(): Promise<void> {
    this.#serving = true
    try {
      while (this.#someoneWaits()) {
        if (await this.#work.isDue()) await this.#give()
        else {
          const until = await this.#work.nextDue()
          // A waiter that left during these looks could not wake a loop that did not sleep yet.
          if (this.#someoneWaits()) await this.#due.wait(until, forever)
        }
      }
    } catch (error) {
      for (const waiting of this.#waiting) waiting.reject(error)
      this.#waiting.clear()
    } finally {
      this.#serving = false
    }
  }

  #someoneWaits(): boolean {
    for (const waiting of this.#waiting) if (waiting.signal.aborted) this.#answer(waiting)
    return this.#waiting.size > 0
  }

  async #give(): Promise<void> {
    const waiters = [...this.#waiting]
    const leases = await this.#work.lease(waiters)
    for (const [index, lease] of leases.entries()) {
      const waiting = waiters[index]
      if (waiting !== undefined) this.#answer(waiting, lease)
    }
  }

  #answer(waiting: Waiting, lease?: Lease): void {
    this.#waiting.delete(waiting)
    waiting.resolve(lease)
  }
}
