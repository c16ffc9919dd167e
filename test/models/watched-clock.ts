import { SimulatedClock } from '@cool-ai/beach-core'

/** A simulated clock that says when a caller begins to wait, so that a test knows when to move it. */
export class WatchedClock extends SimulatedClock {
  readonly #timers: number[] = []
  #watchers: (() => void)[] = []

  override timer(ms: number, run: () => void): () => void {
    const cancel = super.timer(ms, run)
    this.#timers.push(ms)
    const watchers = this.#watchers
    this.#watchers = []
    for (const watcher of watchers) watcher()
    return cancel
  }

  /** Resolves with the length of the wait at this place among those between the two lengths, once it has begun. */
  async wait(place: number, { from, to }: { from: number; to: number }): Promise<number> {
    for (;;) {
      const ms = this.#timers.filter((length) => length >= from && length <= to)[place]
      if (ms !== undefined) return ms
      await new Promise<void>((resolve) => this.#watchers.push(resolve))
    }
  }
}
