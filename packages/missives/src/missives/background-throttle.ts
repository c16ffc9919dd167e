import { sleep, type Clock } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'

const maxSliceMs = 8
const restPerWork = 4
// A machine that slept, or a clock that was set, does not count as work.
const maxRestMs = 1_000

/**
 * Background work that no caller waits for: after a stretch of it the event loop belongs to other work for four times
 * as long, until a caller does wait.
 */
export class BackgroundThrottle {
  readonly #clock: Clock
  #since: number
  #resting = new AbortController()
  #waited = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = elapsed(clock)
  }

  /** The work begins, or goes on after something else. */
  begin(): void {
    this.#since = elapsed(this.#clock)
  }

  /** Yields to other work: each time for a moment, and longer when it is time for that. */
  async step(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    const worked = elapsed(this.#clock) - this.#since
    if (worked < maxSliceMs) return
    const restMs = Math.min(worked * restPerWork, maxRestMs)
    if (this.#waited === 0) await sleep(this.#clock, restMs, this.#resting.signal)
    this.begin()
  }

  /** From now on a caller waits, so the work no longer rests. */
  runAtFullSpeed(): void {
    this.#waited++
    this.#resting.abort()
  }

  /** Runs work that a caller waits for; meanwhile there is no rest. */
  async runUrgently<Value>(run: () => Promise<Value>): Promise<Value> {
    this.#waited++
    this.#resting.abort()
    try {
      return await run()
    } finally {
      this.#waited--
      if (this.#waited === 0) this.#resting = new AbortController()
    }
  }
}
