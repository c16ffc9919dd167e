import type { Clock } from '@cool-ai/beach-core'
import { Rate, type RateLimits } from './rate.ts'

const maxNetworks = 10_000

/** Rate limits of many networks. Those unseen for longest are forgotten. */
export class NetworkRates {
  readonly #clock: Clock
  readonly #limits: RateLimits
  readonly #rates = new Map<string, Rate>()

  constructor(clock: Clock, limits: RateLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  of(network: string): Rate {
    const rate = this.#rates.get(network) ?? new Rate(this.#clock, this.#limits)
    this.#rates.delete(network)
    this.#rates.set(network, rate)
    const [oldest] = this.#rates.keys()
    if (this.#rates.size > maxNetworks && oldest !== undefined) this.#rates.delete(oldest)
    return rate
  }
}
