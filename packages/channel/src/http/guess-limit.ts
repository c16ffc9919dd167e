import { BeachError, type Clock } from '@cool-ai/beach-core'
import { NetworkRates } from '../live/network-rates.ts'
import { Rate } from '../live/rate.ts'

/** An attempt at a secret that is in progress. It counts as wrong until it is known to be right. */
export interface Guess {
  wasRight(): void
}

const perNetwork = { burst: 20, perSecond: 20 / 60 }
const inAll = { burst: 1_000, perSecond: 1_000 / 60 }

/**
 * Limits attempts at secrets: links, codes, tokens. Wrong attempts are counted by the network that they come from, so
 * that one guessing caller locks no other caller out. When all networks together have guessed too often, a network that
 * has not is still admitted.
 */
export class GuessLimit {
  readonly #networks: NetworkRates
  readonly #all: Rate

  constructor(clock: Clock) {
    this.#networks = new NetworkRates(clock, perNetwork)
    this.#all = new Rate(clock, inAll)
  }

  /** An attempt from a network; refused when there were too many wrong ones. */
  begin(network = ''): Guess {
    const own = this.#networks.of(network)
    const hasGuessed = !own.isFull
    if (!own.take()) throw tooMany(own)
    const isInAll = this.#all.take()
    if (!isInAll && hasGuessed) {
      own.giveBack()
      throw tooMany(this.#all)
    }
    return {
      wasRight: () => {
        own.giveBack()
        if (isInAll) this.#all.giveBack()
      },
    }
  }
}

function tooMany({ retryAfter }: Rate): BeachError {
  const message = `Too many wrong links or codes were tried. Try again in ${retryAfter} s.`
  return new BeachError('TOO_MANY', message, { details: { retryAfter } })
}
