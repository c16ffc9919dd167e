import type { Clock } from '@cool-ai/beach-core'
import { maxLookMs } from '../stores/due-signal.ts'

/** The state may have changed: the waiter looks again, also when it was raised before the wait began. */
export class Latch {
  readonly #clock: Clock
  #raised = false
  #resume: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  raise(): void {
    this.#raised = true
    this.#resume()
  }

  /** Waits until it is raised, or for the clock to reach `until`, or for a while in which the clock may have been set; lowers it again. */
  async wait(until?: number): Promise<void> {
    if (!this.#raised) {
      await new Promise<void>((resolve) => {
        const ms = until === undefined ? undefined : Math.min(until - this.#clock.now(), maxLookMs)
        const cancel = ms === undefined ? () => {} : this.#clock.timer(ms, () => this.raise())
        this.#resume = () => {
          cancel()
          resolve()
        }
      })
    }
    this.#raised = false
  }
}
