import { BeachError } from '@cool-ai/beach-core'

/** How much may be held of bodies that are being received. */
export interface PendingBodiesLimits {
  /** Bytes of all such bodies together; 64 MB when left out. */
  readonly maxBytes?: number | undefined
  /** The same of those that come from one network; a quarter of all when left out. */
  readonly maxBytesOfNetwork?: number | undefined
}

/** What a body costs besides its bytes: its connection, its request and what waits for it. */
const costOfOne = 4 * 1024

/** A body that is being read. */
export interface PendingBody {
  readonly network: string
  readonly giveUp: (error: BeachError) => void
  bytes: number
}

/**
 * The bodies of unauthenticated callers that are being read: in sum, and of each network, they hold no more than so
 * many bytes. When there are too many, the one that has been waited for longest is aborted, so that callers that send
 * at once are served while others stall.
 */
export class PendingBodies {
  readonly #maxBytes: number
  readonly #maxBytesOfNetwork: number
  /** Both in the order of arrival. */
  readonly #all = new Set<PendingBody>()
  readonly #ofNetwork = new Map<string, { readonly holds: Set<PendingBody>; bytes: number }>()
  #bytes = 0

  constructor({ maxBytes = 64 * 1024 * 1024, maxBytesOfNetwork }: PendingBodiesLimits = {}) {
    this.#maxBytes = maxBytes
    this.#maxBytesOfNetwork = maxBytesOfNetwork ?? Math.ceil(maxBytes / 4)
  }

  /** How many are being read. */
  get count(): number {
    return this.#all.size
  }

  /** What they hold together. */
  get bytes(): number {
    return this.#bytes
  }

  /** One more body; `giveUp` is called, at any time until it is released, when there is no room for it any more. */
  hold(network: string | undefined, giveUp: (error: BeachError) => void): PendingBody {
    const body: PendingBody = { network: network ?? '', giveUp, bytes: 0 }
    this.#all.add(body)
    const others = this.#ofNetwork.get(body.network)
    if (others === undefined) this.#ofNetwork.set(body.network, { holds: new Set([body]), bytes: 0 })
    else others.holds.add(body)
    this.grow(body, 0)
    return body
  }

  /** This many bytes of it are held now. */
  grow(body: PendingBody, held: number): void {
    const network = this.#ofNetwork.get(body.network)
    if (network === undefined || !this.#all.has(body)) return
    const more = held + costOfOne - body.bytes
    body.bytes += more
    network.bytes += more
    this.#bytes += more
    while (network.bytes > this.#maxBytesOfNetwork) this.#giveUpFirst(network.holds)
    while (this.#bytes > this.#maxBytes) this.#giveUpFirst(this.#all)
  }

  /** It has been read, or is no longer needed. */
  release(body: PendingBody): void {
    const network = this.#ofNetwork.get(body.network)
    if (network === undefined || !this.#all.delete(body)) return
    this.#bytes -= body.bytes
    network.bytes -= body.bytes
    network.holds.delete(body)
    if (network.holds.size === 0) this.#ofNetwork.delete(body.network)
  }

  #giveUpFirst(holds: ReadonlySet<PendingBody>): void {
    const [first] = holds
    if (first === undefined) return
    this.release(first)
    const message = 'Too many requests are being received at once. Send this one again, and as a whole.'
    first.giveUp(new BeachError('TOO_MANY', message, { details: { close: true, retryAfter: 1 } }))
  }
}
