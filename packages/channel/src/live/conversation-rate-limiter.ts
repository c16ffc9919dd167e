import { BeachError, type Clock, type Principal } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { NetworkRates } from './network-rates.ts'
import type { RateSharing } from './rate-sharing.ts'
import type { RateLimits } from './rate.ts'

/** How many conversations callers may begin in a minute. */
export interface ConversationRateLimits {
  /** Conversations that all guests of one network together may begin in a minute; 300 when left out. */
  readonly guestsPerMinute?: number | undefined
  /** Conversations that one principal with a credential may begin in a minute; 6,000 when left out. */
  readonly perMinute?: number | undefined
  /** With one, the limits are of all processes together. */
  readonly sharing?: RateSharing | undefined
}

/** Adjacent networks, which one owner is likely to have, may begin this many times as much as one of them. */
const timesOfOne = 5

/**
 * Limits how many conversations callers may begin, on all endpoints together: sessions, tasks' contexts, threads, and
 * sessions of MCP. All endpoints of an agent share one limiter. Guests can be as many principals as they like, so they
 * count by their network; guests of unknown networks count together.
 */
export class ConversationRateLimiter {
  readonly #ofNetwork: NetworkRates
  readonly #ofSubnet: NetworkRates
  readonly #ofPrincipal: NetworkRates

  constructor(clock: Clock, { guestsPerMinute = 300, perMinute = 6_000, sharing }: ConversationRateLimits = {}) {
    const rates = (name: string, count: number) =>
      new NetworkRates({ clock, sharing, name: `conversations of ${name}`, ...eachMinute(count) })
    this.#ofNetwork = rates('network', guestsPerMinute)
    this.#ofSubnet = rates('subnet', timesOfOne * guestsPerMinute)
    this.#ofPrincipal = rates('principal', perMinute)
  }

  /** One more; refused when there are too many. A caller without a principal is a guest. */
  admit(principal: Principal | undefined, network = ''): void {
    if (principal !== undefined && principal.kind !== 'anonymous') {
      return take(this.#ofPrincipal, `${principal.tenant}~${principalKey(principal)}`)
    }
    take(this.#ofNetwork, network)
    const subnet = subnetOf(network)
    if (subnet === undefined) return
    try {
      take(this.#ofSubnet, subnet)
    } catch (error) {
      this.#ofNetwork.giveBack(network)
      throw error
    }
  }
}

function take(rates: NetworkRates, network: string): void {
  const refused = rates.take(network)
  if (refused === undefined) return
  const { retryAfter } = refused
  const message = `Too many conversations were begun from here. Begin the next one in ${retryAfter} s.`
  throw new BeachError('TOO_MANY', message, { details: { retryAfter } })
}

function eachMinute(count: number): RateLimits {
  return { burst: count, perSecond: count / 60 }
}

/** Of an IPv4 address its /24, of an IPv6 network its /48. */
function subnetOf(network: string): string | undefined {
  const parts = network.split(/([.:])/)
  return parts.length === 7 ? parts.slice(0, 5).join('') : undefined
}
