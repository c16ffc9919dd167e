import { BeachError, principalKey, type Principal } from '@cool-ai/beach-core'

/**
 * Counts what each principal has open, so that one caller cannot take everything. Those who are one principal because
 * nobody knows them are told apart by where they come from.
 */
export class StreamCount {
  readonly #most: number
  readonly #open = new Map<string, number>()

  constructor(most = 200) {
    this.#most = most
  }

  /** One more; the returned function, called once, lets it go. */
  enter(principal: Principal, network = ''): () => void {
    const key = `${encodeURIComponent(principal.tenant)}:${principalKey(principal)}:${network}`
    const count = this.#open.get(key) ?? 0
    if (count >= this.#most) throw new BeachError('TOO_MANY', `You have ${count} streams or requests open; let some end first.`)
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
