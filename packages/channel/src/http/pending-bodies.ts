import { BeachError } from '@cool-ai/beach-core'
import { RequestNote } from './request-note.ts'

export interface PendingBodiesLimits {
  /** Bytes of all such bodies together; 64 MB when left out. */
  readonly maxBytes?: number | undefined
  /** The same of those that come from one network; a quarter of all when left out. */
  readonly maxBytesOfNetwork?: number | undefined
}

/** A body that is being read. */
export interface PendingBody {
  /** So many bytes are held of it now. */
  grow(bytes: number): void
  /** It has been read, or is no longer needed. */
  release(): void
}

/** What a body costs besides its bytes: its connection, its request and what waits for it. */
const costOfOne = 4 * 1024

interface BodyEntry {
  readonly network: string
  readonly giveUp: (error: BeachError) => void
  bytes: number
}

/**
 * The bodies that are being read of callers of whom nothing is proven: in sum, and of each network, they hold no more than
 * so many bytes. When there are too many the one that has been waited for longest is given up, so that callers that send
 * what they have are served while others hold back.
 */
export class PendingBodies {
  readonly #maxBytes: number
  readonly #maxBytesOfNetwork: number
  /** Both in the order in which they came. */
  readonly #all = new Set<BodyEntry>()
  readonly #ofNetwork = new Map<string, { readonly holds: Set<BodyEntry>; bytes: number }>()
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

  /** One more; `giveUp` is called, at any time until it is let go, when there is no room for it any more. */
  hold(network: string | undefined, giveUp: (error: BeachError) => void): PendingBody {
    const hold: BodyEntry = { network: network ?? '', giveUp, bytes: 0 }
    this.#all.add(hold)
    const others = this.#ofNetwork.get(hold.network)
    if (others === undefined) this.#ofNetwork.set(hold.network, { holds: new Set([hold]), bytes: 0 })
    else others.holds.add(hold)
    this.#grow(hold, costOfOne)
    return {
      grow: (bytes) => this.#grow(hold, bytes + costOfOne),
      release: () => this.#remove(hold),
    }
  }

  #grow(hold: BodyEntry, bytes: number): void {
    const network = this.#ofNetwork.get(hold.network)
    if (network === undefined || !this.#all.has(hold)) return
    const more = bytes - hold.bytes
    hold.bytes = bytes
    network.bytes += more
    this.#bytes += more
    while (network.bytes > this.#maxBytesOfNetwork) this.#giveUpFirst(network.holds)
    while (this.#bytes > this.#maxBytes) this.#giveUpFirst(this.#all)
  }

  #giveUpFirst(holds: ReadonlySet<BodyEntry>): void {
    const [first] = holds
    if (first === undefined) return
    this.#remove(first)
    const message = 'Too many requests are being received at once. Send this one again, and as a whole.'
    first.giveUp(new BeachError('TOO_MANY', message, { details: { close: true, retryAfter: 1 } }))
  }

  #remove(hold: BodyEntry): void {
    const network = this.#ofNetwork.get(hold.network)
    if (network === undefined || !this.#all.delete(hold)) return
    this.#bytes -= hold.bytes
    network.bytes -= hold.bytes
    network.holds.delete(hold)
    if (network.holds.size === 0) this.#ofNetwork.delete(hold.network)
  }
}

const noted = new RequestNote<PendingBodies>('held bodies')
/** For requests without notes: what is held of them is bounded too. */
const ofProcess = new PendingBodies()

/** Notes for a request with which others its body counts. */
export function notePendingBodies(request: Request, bodies: PendingBodies): void {
  noted.set(request, bodies)
}

export function pendingBodiesOf(request: Request): PendingBodies {
  return noted.get(request) ?? ofProcess
}
