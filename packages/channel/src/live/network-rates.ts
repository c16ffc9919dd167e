import type { Clock } from '@cool-ai/beach-core'
import { Rate, type RateLimits } from './rate.ts'
import type { RateSharing } from './rate-sharing.ts'

export interface NetworkRatesOptions extends RateLimits {
  readonly clock: Clock
  /** With one, what is taken in other processes counts too; `name` tells these limits from others. */
  readonly sharing?: RateSharing | undefined
  readonly name: string
}

const maxNetworks = 10_000

/** Rate limits of many networks. Those unseen for longest are forgotten. */
export class NetworkRates {
  readonly #options: NetworkRatesOptions
  readonly #rates = new Map<string, Rate>()

  constructor(options: NetworkRatesOptions) {
    this.#options = options
  }

  /** Takes one of a network's; after how many seconds to come again when that is too often. */
  take(network: string): { readonly retryAfter: number } | undefined {
    const rate = this.#of(network)
    if (!rate.take()) return rate
    this.#share(network, rate, 1)
    return undefined
  }

  /** Gives back what was taken. */
  giveBack(network: string): void {
    const rate = this.#of(network)
    rate.giveBack()
    this.#share(network, rate, -1)
  }

  #share(network: string, rate: Rate, count: number): void {
    const { sharing, name, perSecond } = this.#options
    sharing?.add(`${name}:${network}`, { rate, count, perSecond })
  }

  #of(network: string): Rate {
    const rate = this.#rates.get(network) ?? new Rate(this.#options.clock, this.#options)
    this.#rates.delete(network)
    this.#rates.set(network, rate)
    const [oldest] = this.#rates.keys()
    if (this.#rates.size > maxNetworks && oldest !== undefined) this.#rates.delete(oldest)
    return rate
  }
}
