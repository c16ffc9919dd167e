import { BeachError, principalKey, type Principal } from '@cool-ai/beach-core'

/** Counts the open streams of each principal, so that one caller cannot take them all. */
export class StreamCount {
  readonly #most: number
  readonly #open = new Map<string, number>()

  constructor(most = 200) {
    this.#most = most
  }

  /** One more; the returned function lets it go. */
  enter(principal: Principal): () => void {
    const key = `${encodeURIComponent(principal.tenant)}:${principalKey(principal)}`
    const count = this.#open.get(key) ?? 0
    if (count >= this.#most) throw new BeachError('TOO_MANY', `You have ${count} streams open; close some first.`)
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
