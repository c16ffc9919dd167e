import { BeachError, type Clock, type Store } from '@cool-ai/beach-core'
import { contentHash, UseCounts } from '@cool-ai/beach-core/runtime'

/** An attempt at a secret that is in progress. It counts as wrong until it is known to be right. */
export interface Guess {
  wasRight(): Promise<void>
}

export interface GuessLimitOptions {
  readonly clock: Clock
  /** What is guessed: each has limits of its own. */
  readonly name: string
  /** Counts over all processes; without one, or where it cannot, this process counts for itself. */
  readonly store?: Pick<Store, 'countUses'> | undefined
}

const perNetwork = { max: 20, perSecond: 20 / 60 }
const inAll = { max: 1_000, perSecond: 1_000 / 60 }

/**
 * Limits attempts at secrets: links, codes, tokens. Wrong attempts are counted by the network that they come from, so
 * that one guessing caller locks no other caller out. When all networks together have guessed too often, a network that
 * has not is still admitted. An attempt is counted, in all processes, before it is looked at.
 */
export class GuessLimit {
  readonly #name: string
  readonly #count: NonNullable<Store['countUses']>

  constructor({ clock, name, store }: GuessLimitOptions) {
    const own = new UseCounts(clock)
    this.#name = name
    this.#count = async (uses) => (store?.countUses === undefined ? own.count(uses) : store.countUses(uses))
  }

  /** An attempt from a network; refused when there were too many wrong ones. */
  async begin(network = ''): Promise<Guess> {
    const own = { key: this.#keyOf(`of ${network}`), count: 1, ...perNetwork }
    const all = { key: this.#keyOf('in all'), count: 1, ...inAll }
    const [ofNetwork, together] = await this.#count([own, all])
    const hasGuessed = (ofNetwork?.used ?? 0) > 1 + 1e-6
    const counted = [...(ofNetwork?.isCounted === true ? [own] : []), ...(together?.isCounted === true ? [all] : [])]
    const giveBack = async () => {
      if (counted.length > 0) await this.#count(counted.map((use) => ({ ...use, count: -1 })))
    }
    if (ofNetwork?.isCounted !== true || (together?.isCounted !== true && hasGuessed)) {
      await giveBack()
      throw ofNetwork?.isCounted === true ? tooMany(inAll, together?.used) : tooMany(perNetwork, ofNetwork?.used)
    }
    return { wasRight: giveBack }
  }

  /** Names of networks are data about people: the store gets a digest of them. */
  #keyOf(whose: string): string {
    return contentHash(`guesses at ${this.#name} ${whose}`)
  }
}

function tooMany({ max, perSecond }: typeof perNetwork, used = max): BeachError {
  const retryAfter = Math.max(1, Math.ceil((used + 1 - max) / perSecond - 1e-6))
  const message = `Too many wrong links or codes were tried. Try again in ${retryAfter} s.`
  return new BeachError('TOO_MANY', message, { details: { retryAfter } })
}
