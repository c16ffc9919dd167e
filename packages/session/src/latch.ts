import type { Clock } from '@cool-ai/beach-core'

/** Something may have changed: whoever waits looks again, also when it was raised before the wait began. */
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

  /** Waits until it is raised, or for the clock to reach `until`; lowers it again. */
  async wait(until?: number): Promise<void> {
    if (!this.#raised) {
      await new Promise<void>((resolve) => {
        const cancel = until === undefined ? () => {} : this.#clock.timer(until - this.#clock.now(), () => this.raise())
        this.#resume = () => {
          cancel()
          resolve()
        }
      })
    }
    this.#raised = false
  }
}
