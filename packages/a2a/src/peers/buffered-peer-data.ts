import type { PeerPart } from '@cool-ai/beach-channel/peers'

/**
 * A peer's data, held until all of it has been checked by the schema that the peer's card has for it. Its words are told
 * as they come.
 */
export class BufferedPeerData {
  readonly #onPart: ((part: PeerPart) => void | Promise<void>) | undefined
  readonly #held = new Map<string, PeerPart>()

  constructor(onPart: ((part: PeerPart) => void | Promise<void>) | undefined) {
    this.#onPart = onPart
  }

  async take(part: PeerPart): Promise<void> {
    if (part.part.metadata.partType !== 'domain-data') return this.#onPart?.(part)
    // The last update of a part is the one that counts.
    this.#held.delete(part.partId)
    if (part.isRetracted !== true) this.#held.set(part.partId, part)
  }

  /** It is as the card says. */
  async give(): Promise<void> {
    for (const part of this.#held.values()) await this.#onPart?.(part)
    this.#held.clear()
  }
}
