import type { Clock } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'

/** Smaller steps, and the clock's drift, are covered by the part of a lease that is left at its renewal. */
export const stepMs = 1_000

/**
 * The time by which a store judges leases. They are on record by the machine's time, which all processes share, but
 * which can be set: a living holder must not lose its lease by that, and a dead one must not keep it.
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
   * True from the start, and when the clock was set back: earlier records may lie too far ahead. It stays so until
   * `caughtUp`.
   */
  get mayBeBehind(): boolean {
    this.#look()
    return this.#mayBeBehind
  }

  caughtUp(): void {
    this.#mayBeBehind = false
  }

  /**
   * A lease that ran until this time or before is over. When the clock was set forward, the time before counts: for as
   * long as the longest lease runs, in which a living holder has renewed its own.
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
