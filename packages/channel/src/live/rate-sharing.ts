import { sleep, type Clock, type Store } from '@cool-ai/beach-core'
import { contentHash } from '@cool-ai/beach-core/runtime'
import type { Rate } from './rate.ts'

interface Taken {
  readonly rate: Rate
  readonly count: number
  readonly perSecond: number
}

export interface RateSharingOptions {
  readonly store: Pick<Store, 'countUses'>
  readonly clock: Clock
}

const pauseMs = 100
const maxWaiting = 10_000

/**
 * Tells the other processes what was taken here, and learns what was taken there: all of it together, ten times a second
 * at most, and nothing while nothing is taken. Each process decides by what it knows, so that no caller waits. What
 * several processes have given too much in one moment is owed: over a minute the limit holds for all of them together.
 */
export class RateSharing {
  readonly #options: RateSharingOptions
  #waiting = new Map<string, Taken>()
  #isRunning = false

  constructor(options: RateSharingOptions) {
    this.#options = options
  }

  add(key: string, taken: Taken): void {
    if (this.#options.store.countUses === undefined) return
    const count = (this.#waiting.get(key)?.count ?? 0) + taken.count
    if (this.#waiting.size < maxWaiting || this.#waiting.has(key)) this.#waiting.set(key, { ...taken, count })
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    const { store, clock } = this.#options
    this.#isRunning = true
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting]
      this.#waiting = new Map()
      // Names of networks are data about people: the store gets a digest of them.
      const uses = batch.map(([key, { count, perSecond }]) => ({ key: contentHash(key), count, perSecond }))
      try {
        const counted = (await store.countUses?.(uses)) ?? []
        for (const [index, [key, { rate }]] of batch.entries()) {
          const { used } = counted[index] ?? {}
          if (used !== undefined) rate.used = used + Math.max(0, this.#waiting.get(key)?.count ?? 0)
        }
      } catch {
        // The store's failure is told where something must be stored; each process counts for itself meanwhile.
      }
      await sleep(clock, pauseMs)
    }
    this.#isRunning = false
  }
}
