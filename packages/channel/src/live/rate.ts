import type { Clock } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'

export interface RateLimits {
  /** The burst. */
  readonly burst: number
  /** The long-term rate per second. */
  readonly perSecond: number
}

/** A rate limit: a burst, and then a steady rate. */
export class Rate {
  readonly #clock: Clock
  readonly #limits: RateLimits
  #left: number
  #at: number

  constructor(clock: Clock, limits: RateLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#left = limits.burst
    this.#at = elapsed(clock)
  }

  /** Takes one; false when that is too often. */
  take(): boolean {
    this.#earn()
    if (this.#left < 1) return false
    this.#left--
    return true
  }

  /** True when nothing has been taken for a while. */
  get isFull(): boolean {
    this.#earn()
    return this.#left >= this.#limits.burst
  }

  /** Gives back what was taken. */
  giveBack(): void {
    this.#left = Math.min(this.#limits.burst, this.#left + 1)
  }

  /** After how many whole seconds the next one can be taken. */
  get retryAfter(): number {
    this.#earn()
    // Without the errors of floating-point arithmetic.
    return Math.max(1, Math.ceil((1 - this.#left) / this.#limits.perSecond - 1e-6))
  }

  #earn(): void {
    const now = elapsed(this.#clock)
    const earned = (Math.max(now - this.#at, 0) / 1_000) * this.#limits.perSecond
    this.#left = Math.min(this.#limits.burst, this.#left + earned)
    this.#at = now
  }
}
