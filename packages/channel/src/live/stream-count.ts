import { BeachError, type Principal } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { CompactingMap } from '@cool-ai/beach-core/runtime'

/**
 * Counts what each principal has open, so that one caller cannot take everything. Callers that are one principal because
 * they are unknown are told apart by where they come from.
 */
export class StreamCount {
  readonly #max: number
  readonly #maxPerNetwork: number
  readonly #open = new CompactingMap<string, number>()

  constructor(max = 200, maxPerNetwork = Math.max(1_000, max)) {
    this.#max = max
    this.#maxPerNetwork = maxPerNetwork
  }

  /** One more; the returned function, called once, lets it go. */
  enter(principal: Principal, network = ''): () => void {
    return this.#enter(keyOf(principal, network), this.#max)
  }

  /**
   * One more. Guests, who can be as many principals as they like, count with all others from where they come too; those of
   * whom that is not known count together.
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
