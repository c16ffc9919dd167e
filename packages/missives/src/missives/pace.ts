import { elapsed, sleep, type Clock } from '@cool-ai/beach-core'

const longestStretchMs = 8
const restPerWork = 4

/**
 * Work that nobody waits for, beside work that somebody does: after a stretch of it the event loop belongs to the others
 * for four times as long, until somebody comes to wait for it after all.
 */
export class Pace {
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

  /** Lets others through: each time for a moment, and longer when it is time for that. */
  async step(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    const worked = elapsed(this.#clock) - this.#since
    if (worked < longestStretchMs) return
    if (this.#waited === 0) await sleep(this.#clock, worked * restPerWork, this.#resting.signal)
    this.begin()
  }

  /** Runs something that somebody waits for: meanwhile there is no rest. */
  async hurry<Value>(run: () => Promise<Value>): Promise<Value> {
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
