import type { Clock } from '@cool-ai/beach-core'
import { BackgroundThrottle } from '../missives/background-throttle.ts'

const unitsPerRun = 20_000
const unitsPerStep = 20

/** What one run of the upkeep may cost. Spending it yields to the rest of the process in between. */
export class Budget {
  readonly #throttle: BackgroundThrottle
  readonly #signal: AbortSignal
  #left = unitsPerRun
  #sinceStep = 0

  constructor(clock: Clock, signal: AbortSignal) {
    this.#throttle = new BackgroundThrottle(clock)
    this.#signal = signal
    signal.addEventListener('abort', () => this.#throttle.runAtFullSpeed(), { once: true })
  }

  /** True when the run is to end here; the next one goes on. */
  get isSpent(): boolean {
    return this.#left <= 0 || this.#signal.aborted
  }

  /** A key that is looked at costs 1, a log that is read 20. */
  async spend(units: number): Promise<void> {
    this.#left -= units
    this.#sinceStep += units
    if (this.#sinceStep < unitsPerStep) return
    this.#sinceStep = 0
    await this.#throttle.step()
  }
}
