import { BeachError } from '@cool-ai/beach-core'

/** How far merging goes: levels of nesting, and the size of all that stands in the slots, in characters of JSON. */
export interface MergeLimits {
  readonly depth: number
  readonly size: number
}

/** The limits of merged data when none are given. */
export const mergeLimits: MergeLimits = { depth: 64, size: 4_000_000 }

/** What a whole collection may still take, so that many small slots cannot exceed what one may not. */
export class Budget {
  readonly #limits: MergeLimits
  #used = 0

  constructor(limits: MergeLimits) {
    this.#limits = limits
  }

  /** Takes the value's size off the budget; refuses one that is too large, or too deep at that depth. */
  spend(value: unknown, depth: number): void {
    this.#count(value, depth, 1)
  }

  /** Gives back what a value that is gone had taken. */
  release(value: unknown): void {
    this.#count(value, 0, -1)
  }

  // Counted while walking, so that a value that contains itself ends the walk too.
  #count(value: unknown, depth: number, sign: 1 | -1): void {
    if (typeof value === 'string') return this.#add(sign * (value.length + 2))
    if (typeof value !== 'object' || value === null) return this.#add(sign * 8)
    if (depth >= this.#limits.depth) {
      throw new BeachError('TOO_DEEP', `The data is nested deeper than ${this.#limits.depth} levels.`)
    }
    this.#add(sign * 2)
    for (const key of Object.keys(value)) {
      this.#add(sign * (key.length + 3))
      this.#count((value as Record<string, unknown>)[key], depth + 1, sign)
    }
  }

  #add(size: number): void {
    this.#used += size
    if (this.#used <= this.#limits.size) return
    throw new BeachError('TOO_LARGE', `The data of one envelope is larger than ${this.#limits.size} characters.`)
  }
}
