/** What is on its way into the receiver. */
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

  /** Whether so many bytes more of a network would fit. */
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
