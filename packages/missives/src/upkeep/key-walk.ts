import type { Runtime, Store } from '@cool-ai/beach-core'
import type { BoundKey, KeyRetention, RetentionContext } from '@cool-ai/beach-core/ports'
import type { Budget } from './budget.ts'

export interface KeyWalkOptions {
  readonly store: Store
  readonly runtime: Runtime
  readonly rules: readonly KeyRetention[]
  readonly activity: RetentionContext['activity']
}

const pageSize = 200

/**
 * Goes through the keys for which there are rules, and unbinds those that are over. What a key is needed for is told by
 * the store alone, so any number of processes can do it at once, and one that dies leaves nothing half done.
 */
export class KeyWalk {
  readonly #options: KeyWalkOptions
  readonly #rules: readonly KeyRetention[]
  #rule = 0
  #after: string | undefined

  constructor(options: KeyWalkOptions) {
    this.#options = options
    this.#rules = options.rules.filter(({ keepMs }) => keepMs < Infinity)
  }

  /** Goes on where it was; true when it has come to the end, and begins anew the next time. */
  async run(budget: Budget): Promise<boolean> {
    for (let rule = this.#rules[this.#rule]; rule !== undefined; rule = this.#rules[this.#rule]) {
      if (budget.isSpent) return false
      const page = await this.#options.store.list(rule.prefix, this.#after, pageSize)
      await this.#take(rule, page, budget)
      this.#after = page.at(-1)?.key
      if (page.length === pageSize) continue
      this.#after = undefined
      this.#rule++
    }
    this.#rule = 0
    return true
  }

  async #take(rule: KeyRetention, page: readonly BoundKey[], budget: Budget): Promise<void> {
    const { store, runtime } = this.#options
    const over: string[] = []
    for (const key of page) {
      await budget.spend(1)
      if (await this.#isOver(rule, key, budget)) over.push(key.key)
    }
    if (over.length === 0) return
    // Together, so that they share a write.
    await Promise.all(over.map((key) => store.unbind(key)))
    runtime.logger.log('info', 'expired keys were removed', { prefix: rule.prefix, count: over.length })
  }

  async #isOver(rule: KeyRetention, key: BoundKey, budget: Budget): Promise<boolean> {
    const { store, runtime } = this.#options
    const now = runtime.clock.now()
    // A program of an earlier version, on the same file, binds keys without a time.
    if (key.at <= 0 || key.at > now - rule.keepMs) return false
    const activity = async (session: string) => {
      await budget.spend(20)
      return this.#options.activity(session)
    }
    try {
      return (await rule.isNeeded?.(key, { now, store, activity })) !== true
    } catch (error) {
      runtime.logger.log('warn', 'a key could not be checked, and stays', { key: key.key, error })
      return false
    }
  }
}
