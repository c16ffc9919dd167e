import type { Clock } from '@cool-ai/beach-core'

/** The clock can be set: a waiter for a time looks again after this at the latest. */
export const maxLookMs = 30_000

interface Waiting {
  until: number | undefined
  cancel: () => void
  readonly resume: () => void
}

/** Lets claimers wait until something may have fallen due: a wake was set, a lease was given back, or time has come. */
export class DueSignal {
  readonly #clock: Clock
  readonly #waiting = new Set<Waiting>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The state changed: all waiters look again. */
  raise(): void {
    for (const { resume } of this.#waiting) resume()
  }

  /** Something will fall due at this time, such as a lease that was just taken: all waiters look again by then. */
  raiseAt(at: number): void {
    for (const waiting of this.#waiting) {
      if (waiting.until === undefined || at < waiting.until) this.#arm(waiting, at)
    }
  }

  /** Waits for `raise`, for the clock to reach `until` (as far as it is not set), or for the signal to abort. */
  wait(until: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const resume = () => {
        this.#waiting.delete(waiting)
        signal.removeEventListener('abort', resume)
        waiting.cancel()
        resolve()
      }
      const waiting: Waiting = { until, cancel: () => {}, resume }
      if (until !== undefined) this.#arm(waiting, until)
      this.#waiting.add(waiting)
      signal.addEventListener('abort', resume, { once: true })
    })
  }

  #arm(waiting: Waiting, at: number): void {
    waiting.cancel()
    waiting.until = at
    waiting.cancel = this.#clock.timer(Math.min(at - this.#clock.now(), maxLookMs), waiting.resume)
  }
}
