import { BeachError } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { CompactingMap } from '@cool-ai/beach-core/runtime'
import type { Caller } from './caller.ts'

/** Counts the open calls of each principal; of guests, those that come from one place count together. */
export class CallCount {
  readonly #max: number
  readonly #open = new CompactingMap<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** Returns what to call when the call is over. */
  enter({ principal, network = '' }: Caller): () => void {
    // Any caller can have any number of guest tokens.
    const isGuest = principal === undefined || principal.kind === 'anonymous'
    const key = isGuest ? network : `${principal.tenant}~${principalKey(principal)}`
    const open = this.#open.get(key) ?? 0
    if (open >= this.#max) {
      throw new BeachError('TOO_MANY', `${open} calls are open already. Wait until one of them is answered.`)
    }
    this.#open.set(key, open + 1)
    return () => {
      const left = (this.#open.get(key) ?? 1) - 1
      if (left === 0) this.#open.delete(key)
      else this.#open.set(key, left)
    }
  }
}
