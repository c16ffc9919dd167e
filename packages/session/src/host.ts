import { sleep, type Store } from '@cool-ai/beach-core'
import { Hold, type HoldOptions } from './hold.ts'
import { Stop } from './stop.ts'

export interface HostOptions extends HoldOptions {
  readonly mostSessions?: number
}

/** Claims sessions and holds them: the only one that runs anything for the sessions it has leases of. */
export class Host {
  readonly #options: HostOptions
  readonly #store: Store
  readonly #mostSessions: number
  readonly #stopping = new AbortController()
  readonly #held = new Set<Promise<void>>()
  #loop: Promise<void> = Promise.resolve()

  constructor(options: HostOptions) {
    this.#options = options
    this.#store = options.store
    this.#mostSessions = options.mostSessions ?? 200
  }

  start(): void {
    this.#loop = this.#claimLoop()
  }

  /** Stops what runs and gives every session back, so that another host can go on at once. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Stop('shutdown'))
    await this.#loop
    await Promise.all(this.#held)
  }

  async #claimLoop(): Promise<void> {
    const { signal } = this.#stopping
    const { clock, logger } = this.#options.runtime
    while (!signal.aborted) {
      try {
        while (this.#held.size >= this.#mostSessions) await Promise.race(this.#held)
        const lease = await this.#store.claim(this.#options.leaseMs, signal)
        if (lease === undefined) return
        const holding: Promise<void> = new Hold(lease, this.#options, signal)
          .run()
          .finally(() => this.#held.delete(holding))
        this.#held.add(holding)
      } catch (error) {
        logger.log('error', 'claiming a session failed', { error })
        await sleep(clock, 1_000, signal)
      }
    }
  }
}
