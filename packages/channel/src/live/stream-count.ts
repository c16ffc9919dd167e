import { BeachError, type Principal } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { CompactingMap } from '@cool-ai/beach-core/runtime'

/**
 * Counts the open streams of each principal, so that one caller cannot take all of them. Unauthenticated callers, who
 * share one principal, are told apart by their network.
 */
export class StreamCount {
  readonly #max: number
  readonly #maxPerNetwork: number
  readonly #open = new CompactingMap<string, number>()

  constructor(max = 200, maxPerNetwork = Math.max(1_000, max)) {
    this.#max = max
    this.#maxPerNetwork = maxPerNetwork
  }

  /** One more stream; the returned function, called once, releases it. */
  enter(principal: Principal, network = ''): () => void {
    return this.#enter(keyOf(principal, network), this.#max)
  }

  /**
   * One more stream. Guests, who can be as many principals as they like, also count with all others of their network;
   * guests of unknown networks count together.
   */
  enterFrom(principal: Principal, network = ''): () => void {
    const leave = this.enter(principal)
    if (principal.kind !== 'anonymous') return leave
    try {
      const leaveNetwork = this.#enter(`guests:${network}`, this.#maxPerNetwork)
      return () => {
        leave()
        leaveNetwork()
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  #enter(key: string, max: number): () => void {
    const count = this.#open.get(key) ?? 0
    if (count >= max)
      throw new BeachError('TOO_MANY', `You have ${count} streams or requests open; let some end first.`)
    this.#open.set(key, count + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const left = (this.#open.get(key) ?? 1) - 1
      if (left > 0) this.#open.set(key, left)
      else this.#open.delete(key)
    }
  }
}

function keyOf(principal: Principal, network: string): string {
  return `principal:${encodeURIComponent(principal.tenant)}:${principalKey(principal)}:${network}`
}
