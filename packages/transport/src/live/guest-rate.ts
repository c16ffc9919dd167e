import { BeachError, type Clock } from '@cool-ai/beach-core'
import { NetworkRates } from './network-rates.ts'

/**
 * How many sessions guests may open: they can be as many principals as they like, and are counted by where they come
 * from.
 */
export class GuestRate {
  readonly #rates: NetworkRates

  constructor(clock: Clock, perMinute = 300) {
    this.#rates = new NetworkRates(clock, { burst: perMinute, perSecond: perMinute / 60 })
  }

  /** One more; refused when there are too many. */
  admit(network: string): void {
    const rate = this.#rates.of(network)
    if (rate.take()) return
    const { retryAfter } = rate
    const message = `Too many sessions were opened from here. Open the next one in ${retryAfter} s.`
    throw new BeachError('TOO_MANY', message, { details: { retryAfter } })
  }
}
