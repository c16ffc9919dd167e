import { BeachError } from '@cool-ai/beach-core'

const max = { ofAll: 1_000, ofNetwork: 100 }

/** Counts connections that are not authenticated yet: of all, and of those from one network. */
export class UnidentifiedConnections {
  readonly #ofNetwork = new Map<string, number>()
  #ofAll = 0

  /** One more connection; the returned function, called any number of times, releases it. */
  enter(network = ''): () => void {
    const count = this.#ofNetwork.get(network) ?? 0
    if (this.#ofAll >= max.ofAll || (network !== '' && count >= max.ofNetwork)) {
      throw new BeachError('TOO_MANY', 'Too many connections wait for authentication. Try again, with a credential.')
    }
    this.#ofAll++
    this.#ofNetwork.set(network, count + 1)
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      this.#ofAll--
      const left = (this.#ofNetwork.get(network) ?? 1) - 1
      if (left > 0) this.#ofNetwork.set(network, left)
      else this.#ofNetwork.delete(network)
    }
  }
}
