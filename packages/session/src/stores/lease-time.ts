import type { Clock } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'

/** Smaller steps, and what a clock gains by and by, are covered by the part of a lease that is left at its renewal. */
export const stepMs = 1_000

/**
 * The time by which a store judges leases. They are on record by the machine's time, which other processes have too, but
 * which can be set: then a holder that lives must not lose its lease, and one that has died must not keep it.
 */
export class LeaseTime {
  readonly #clock: Clock
  #offset: number
  #forgiven = 0
  #forgivenUntil = 0
  #mayBeBehind = true

  constructor(clock: Clock) {
    this.#clock = clock
    this.#offset = clock.now() - elapsed(clock)
  }

  /**
   * True from the start, and when the clock has been set back: what was written before may lie too far ahead. It stays
   * so until `caughtUp`.
   */
  get mayBeBehind(): boolean {
    this.#look()
    return this.#mayBeBehind
  }

  caughtUp(): void {
    this.#mayBeBehind = false
  }

  /**
   * A lease that ran until this time or before is over. When the clock was set forward, that is told by the time before:
   * for as long as the longest lease runs, in which a holder that lives has renewed its own.
   */
  now(maxMs: () => number): number {
    this.#look()
    if (this.#forgivenUntil === Infinity) this.#forgivenUntil = elapsed(this.#clock) + maxMs()
    if (elapsed(this.#clock) >= this.#forgivenUntil) this.#forgiven = 0
    return this.#clock.now() - this.#forgiven
  }

  /** When a lease that runs until `until` can be taken, as far as is known. */
  end(until: number): number {
    if (this.#forgiven === 0) return until
    return Math.min(until + this.#forgiven, this.#clock.now() + this.#forgivenUntil - elapsed(this.#clock))
  }

  /** Notices whether the clock was set since the last look. */
  #look(): void {
    const offset = this.#clock.now() - elapsed(this.#clock)
    const step = offset - this.#offset
    this.#offset = offset
    if (Math.abs(step) < stepMs) return
    if (step < 0) this.#mayBeBehind = true
    else this.#forgivenUntil = Infinity
    this.#forgiven = Math.max(this.#forgiven + step, 0)
  }
}
