import { sleep, type Clock, type Store } from '@cool-ai/beach-core'
import { contentHash } from '@cool-ai/beach-core/runtime'
import type { Use } from '@cool-ai/beach-core/ports'

/** What was taken here and the other processes do not know of yet. */
export interface Taken {
  readonly count: number
  readonly perSecond: number
  /** True when it counts over restarts too, until its key is not used any more. */
  readonly isLasting?: boolean | undefined
  /** Called with how many count now, those of other processes too. */
  readonly learn: (used: number) => void
}

export interface UseSharingOptions {
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
export class UseSharing {
  readonly #options: UseSharingOptions
  #waiting = new Map<string, Taken>()
  #isRunning = false

  constructor(options: UseSharingOptions) {
    this.#options = options
  }

  add(key: string, taken: Taken): void {
    if (this.#options.store.countUses === undefined) return
    const count = (this.#waiting.get(key)?.count ?? 0) + taken.count
    if (this.#waiting.size < maxWaiting || this.#waiting.has(key)) this.#waiting.set(key, { ...taken, count })
    if (!this.#isRunning) void this.#run()
  }

  /** Tells what waits at once, such as before the agent ends. */
  async flush(): Promise<void> {
    const batch = [...this.#waiting]
    this.#waiting = new Map()
    if (batch.length > 0) await this.#tell(batch)
  }

  /** What all processes have taken of something, before the first decision on it. */
  async ask(key: string, taken: Taken): Promise<void> {
    if (this.#options.store.countUses !== undefined) await this.#tell([[key, taken]])
  }

  async #run(): Promise<void> {
    const { clock } = this.#options
    this.#isRunning = true
    while (this.#waiting.size > 0) {
      await this.flush()
      await sleep(clock, pauseMs)
    }
    this.#isRunning = false
  }

  async #tell(batch: readonly (readonly [string, Taken])[]): Promise<void> {
    // Names of networks are data about people: the store gets a digest of them.
    const uses = batch.map(([key, { count, perSecond, isLasting }]): Use => ({
      key: contentHash(key),
      count,
      perSecond,
      isLasting,
    }))
    try {
      const counted = (await this.#options.store.countUses?.(uses)) ?? []
      for (const [index, [key, { learn }]] of batch.entries()) {
        const { used } = counted[index] ?? {}
        if (used !== undefined) learn(used + Math.max(0, this.#waiting.get(key)?.count ?? 0))
      }
    } catch {
      // The store's failure is told where something must be stored; each process counts for itself meanwhile.
    }
  }
}
