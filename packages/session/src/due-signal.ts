import type { Clock } from '@cool-ai/beach-core'

/** Lets claimers wait until something may have fallen due: a wake was set, a lease was given back, or time has come. */
export class DueSignal {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Something changed: everybody looks again. */
  raise(): void {
    for (const resume of this.#waiting) resume()
  }

  /** Waits for `raise`, for the clock to reach `until`, or for the signal to abort. */
  wait(until: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const resume = () => {
        this.#waiting.delete(resume)
        signal.removeEventListener('abort', resume)
        cancel()
        resolve()
      }
      const cancel = until === undefined ? () => {} : this.#clock.timer(until - this.#clock.now(), resume)
      this.#waiting.add(resume)
      signal.addEventListener('abort', resume, { once: true })
    })
  }
}
