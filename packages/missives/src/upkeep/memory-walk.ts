import type { Runtime, Store } from '@cool-ai/beach-core'
import { memoryOwnerOf } from '../memory/erase-memories.ts'
import { MemoryLog, memoryKeys } from '../memory/memory-log.ts'
import type { Budget } from './budget.ts'

export interface MemoryWalkOptions {
  readonly store: Store
  readonly runtime: Runtime
  /** How long guests may be away: after that their token is not valid any more. */
  readonly guestsMs: number
}

const pageSize = 200

/** Goes through what is remembered of guests, and forgets guests who can no longer come back. */
export class MemoryWalk {
  readonly #options: MemoryWalkOptions
  #after: string | undefined

  constructor(options: MemoryWalkOptions) {
    this.#options = options
  }

  /** Goes on where it was; true when it has come to the end, and begins anew the next time. */
  async run(budget: Budget): Promise<boolean> {
    const { store } = this.#options
    for (;;) {
      const page = await store.list(memoryKeys, this.#after, pageSize)
      for (const { key } of page) {
        if (budget.isSpent) return false
        await budget.spend(5)
        await this.#take(key)
        this.#after = key
      }
      if (page.length < pageSize) break
    }
    this.#after = undefined
    return true
  }

  async #take(key: string): Promise<void> {
    const { store, runtime, guestsMs } = this.#options
    const owner = memoryOwnerOf(key)
    if (owner?.kind !== 'anonymous') return
    const log = new MemoryLog(store, owner)
    const { consent, refusedAt = 0, entries } = await log.load()
    const lastAt = Math.max(consent?.at ?? 0, refusedAt, entries.at(-1)?.at ?? 0)
    if (lastAt < runtime.clock.now() - guestsMs) await log.drop()
  }
}
