/** Mail that is being received. */
export interface SmtpLoad {
  readonly connections: number
  /** Bytes of mails that have not been answered. */
  readonly bytes: number
}

export interface SmtpLoadLimits {
  readonly maxNetworkConnections: number
  readonly maxHeldBytes: number
  readonly maxNetworkBytes: number
}

/** Counts what unauthenticated clients have open and have sent, in all and by network. */
export class SmtpLoadMeter {
  readonly #limits: SmtpLoadLimits
  readonly #connections = new Map<string, string>()
  readonly #perNetwork = new Map<string, number>()
  readonly #bytesPerNetwork = new Map<string, number>()
  #bytes = 0

  constructor(limits: SmtpLoadLimits) {
    this.#limits = limits
  }

  get load(): SmtpLoad {
    return { connections: this.#connections.size, bytes: this.#bytes }
  }

  /** False when this network has too many connections. */
  connect(id: string, network: string): boolean {
    const open = this.#perNetwork.get(network) ?? 0
    if (open >= this.#limits.maxNetworkConnections) return false
    this.#connections.set(id, network)
    this.#perNetwork.set(network, open + 1)
    return true
  }

  disconnect(id: string): void {
    const network = this.#connections.get(id)
    if (network === undefined) return
    this.#connections.delete(id)
    lower(this.#perNetwork, network, 1)
  }

  hasRoom(network: string, bytes: number): boolean {
    const { maxHeldBytes, maxNetworkBytes } = this.#limits
    const held = this.#bytesPerNetwork.get(network) ?? 0
    return this.#bytes + bytes <= maxHeldBytes && held + bytes <= maxNetworkBytes
  }

  hold(network: string, bytes: number): void {
    this.#bytes += bytes
    this.#bytesPerNetwork.set(network, (this.#bytesPerNetwork.get(network) ?? 0) + bytes)
  }

  release(network: string, bytes: number): void {
    this.#bytes -= bytes
    lower(this.#bytesPerNetwork, network, bytes)
  }
}

function lower(counts: Map<string, number>, name: string, by: number): void {
  const rest = (counts.get(name) ?? 0) - by
  if (rest > 0) counts.set(name, rest)
  else counts.delete(name)
}

/** A mail while it comes in: its bytes are held only as long as there is room for them. */
export class MailBuffer {
  readonly #meter: SmtpLoadMeter
  readonly #network: string
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #held = 0
  #size = 0
  /** Why it is not kept: it is larger than a mail may be, or there is no room now. */
  dropped: 'large' | 'full' | undefined

  constructor(meter: SmtpLoadMeter, network: string, maxBytes: number) {
    this.#meter = meter
    this.#network = network
    this.#maxBytes = maxBytes
  }

  add(piece: Buffer): void {
    this.#size += piece.byteLength
    if (this.#size > this.#maxBytes) this.#drop('large')
    else if (this.dropped === undefined && !this.#meter.hasRoom(this.#network, piece.byteLength)) this.#drop('full')
    if (this.dropped !== undefined) return
    this.#meter.hold(this.#network, piece.byteLength)
    this.#held += piece.byteLength
    this.#pieces.push(piece)
  }

  whole(): Buffer {
    const raw = Buffer.concat(this.#pieces)
    this.#pieces = []
    return raw
  }

  release(): void {
    this.#pieces = []
    this.#meter.release(this.#network, this.#held)
    this.#held = 0
  }

  #drop(why: 'large' | 'full'): void {
    this.dropped = why
    this.release()
  }
}
