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
  readonly #maxOfTenant: (tenant: string) => number | undefined
  readonly #open = new CompactingMap<string, number>()

  constructor(
    max = 200,
    maxPerNetwork = Math.max(1_000, max),
    maxOfTenant: (tenant: string) => number | undefined = () => undefined,
  ) {
    this.#max = max
    this.#maxPerNetwork = maxPerNetwork
    this.#maxOfTenant = maxOfTenant
  }

  /** One more stream; the returned function, called once, releases it. */
  enter(principal: Principal, network = ''): () => void {
    return this.#enter(keyOf(principal, network), this.#max)
  }

  /**
   * One more stream, which counts with the others of its tenant too. Guests, who can be as many principals as they like,
   * also count with all others of their network; guests of unknown networks count together.
   */
  enterFrom(principal: Principal, network = ''): () => void {
    const { kind, tenant } = principal
    const counts: (readonly [key: string, max: number])[] = [[keyOf(principal, ''), this.#max]]
    if (kind === 'anonymous') counts.push([`guests:${network}`, this.#maxPerNetwork])
    const maxOfTenant = this.#maxOfTenant(tenant)
    if (maxOfTenant !== undefined) counts.push([`tenant:${tenant}`, maxOfTenant])
    const entered: (() => void)[] = []
    const leave = () => entered.forEach((leaveOne) => leaveOne())
    try {
      for (const [key, max] of counts) entered.push(this.#enter(key, max))
      return leave
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
