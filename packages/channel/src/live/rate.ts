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
  #used = 0
  #at: number

  constructor(clock: Clock, limits: RateLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#at = elapsed(clock)
  }

  /** Takes one; false when that is too often. */
  take(): boolean {
    this.#wearOff()
    if (this.#used + 1 > this.#limits.burst) return false
    this.#used++
    return true
  }

  /** Gives back what was taken. */
  giveBack(): void {
    this.#used = Math.max(0, this.#used - 1)
  }

  /** Sets how many count now: others have taken some too. It may be more than the burst. */
  set used(count: number) {
    this.#wearOff()
    this.#used = count
  }

  /** After how many whole seconds the next one can be taken. */
  get retryAfter(): number {
    this.#wearOff()
    const { burst, perSecond } = this.#limits
    // Without the errors of floating-point arithmetic.
    return Math.max(1, Math.ceil((this.#used + 1 - burst) / perSecond - 1e-6))
  }

  #wearOff(): void {
    const now = elapsed(this.#clock)
    const worn = (Math.max(now - this.#at, 0) / 1_000) * this.#limits.perSecond
    this.#used = Math.max(0, this.#used - worn)
    this.#at = now
  }
}
