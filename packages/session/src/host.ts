import { sleep, type Lease, type Store } from '@cool-ai/beach-core'
import { Hold, type HoldOptions } from './hold.ts'
import { Stop } from './stop.ts'

export interface HostOptions extends HoldOptions {
  readonly mostSessions?: number
}

// Claims that wait beside each other can be granted in one write of the store; one after the other would be a write each.
const mostClaims = 16

/** Claims sessions and holds them: the only one that runs anything for the sessions it has leases of. */
export class Host {
  readonly #options: HostOptions
  readonly #store: Store
  readonly #mostSessions: number
  readonly #stopping = new AbortController()
  readonly #held = new Set<Promise<void>>()
  readonly #waitingForRoom: (() => void)[] = []
  #claiming = 0
  #loops: Promise<void>[] = []
  #reported: unknown

  constructor(options: HostOptions) {
    this.#options = options
    this.#store = options.store
    this.#mostSessions = options.mostSessions ?? 200
  }

  start(): void {
    const count = Math.min(mostClaims, this.#mostSessions)
    this.#loops = Array.from({ length: count }, () => this.#claimLoop())
  }

  /** Stops what runs and gives every session back, so that another host can go on at once. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Stop('shutdown'))
    for (const resume of this.#waitingForRoom.splice(0)) resume()
    await Promise.all(this.#loops)
    await Promise.all(this.#held)
  }

  async #claimLoop(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        if (this.#held.size + this.#claiming >= this.#mostSessions) {
          await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve))
          continue
        }
        const lease = await this.#claim(signal)
        if (lease === undefined) return
        const holding: Promise<void> = new Hold(lease, this.#options, signal).run().finally(() => this.#letGo(holding))
        this.#held.add(holding)
      } catch (error) {
        this.#report(error)
        await sleep(this.#options.runtime.clock, 1_000, signal)
      }
    }
  }

  async #claim(signal: AbortSignal): Promise<Lease | undefined> {
    this.#claiming++
    try {
      return await this.#store.claim(this.#options.leaseMs, signal)
    } finally {
      this.#claiming--
    }
  }

  #letGo(holding: Promise<void>): void {
    this.#held.delete(holding)
    this.#waitingForRoom.shift()?.()
  }

  /** Claims that waited together fail together; one line says it. */
  #report(error: unknown): void {
    if (error === this.#reported) return
    this.#reported = error
    this.#options.runtime.logger.log('error', 'claiming a session failed', { error })
  }
}
