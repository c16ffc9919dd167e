import type { MergeStrategy } from '@cool-ai/beach-core'
import { Budget, mergeLimits, type MergeLimits } from './merge-budget.ts'
import { isPlainObject, safeEntries } from './plain-value.ts'

/** What incoming data makes of what stands in a slot. Neither value is changed. */
export function mergeValue(
  strategy: MergeStrategy,
  standing: unknown,
  incoming: unknown,
  limits: MergeLimits = mergeLimits,
): unknown {
  const slot = new Slot(new Budget(limits))
  if (standing !== undefined) slot.apply('replace', standing)
  slot.apply(strategy, incoming)
  return slot.value
}

/**
 * A place that data converges in. It copies what it was given once, when it first has to change it, and from then on
 * changes its copy, so that each part costs what it brings and not what already stands there.
 */
export class Slot {
  readonly #budget: Budget
  #value: unknown
  #isOwn = false

  constructor(budget: Budget) {
    this.#budget = budget
  }

  get value(): unknown {
    return this.#value
  }

  apply(strategy: MergeStrategy, incoming: unknown): void {
    switch (strategy) {
      case 'replace':
        return this.#replace(incoming)
      case 'append':
        return this.#append(incoming)
      case 'deep-merge':
        return this.#deepMerge(incoming)
    }
  }

  #replace(incoming: unknown): void {
    if (this.#value !== undefined) this.#budget.release(this.#value)
    this.#budget.spend(incoming, 0)
    this.#value = incoming
    this.#isOwn = false
  }

  #append(incoming: unknown): void {
    this.#budget.spend(incoming, 0)
    if (!this.#isOwn || !Array.isArray(this.#value)) this.#value = listOf(this.#value)
    const list = this.#value as unknown[]
    for (const item of listOf(incoming)) list.push(item)
    this.#isOwn = true
  }

  #deepMerge(incoming: unknown): void {
    if (!isPlainObject(incoming)) return this.#replace(incoming)
    if (isPlainObject(this.#value)) return this.#mergeInto(this.#own(this.#value), incoming, 1)
    this.#replace(incoming)
    this.#own(incoming)
  }

  // What is copied has been accepted before, so its depth is bounded.
  #own(value: Record<string, unknown>): Record<string, unknown> {
    const own = this.#isOwn ? value : ownCopy(value)
    this.#value = own
    this.#isOwn = true
    return own
  }

  #mergeInto(target: Record<string, unknown>, incoming: Record<string, unknown>, depth: number): void {
    for (const [key, value] of safeEntries(incoming)) {
      const standing = Object.hasOwn(target, key) ? target[key] : undefined
      if (standing === value) continue
      if (isPlainObject(standing) && isPlainObject(value)) {
        this.#mergeInto(standing, value, depth + 1)
        continue
      }
      this.#budget.spend(value, depth)
      if (standing !== undefined) this.#budget.release(standing)
      target[key] = isPlainObject(value) ? ownCopy(value) : value
    }
  }
}

function listOf(value: unknown): unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? [...(value as unknown[])] : [value]
}

// Lists are never merged into, so they can be shared with the caller.
function ownCopy(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    safeEntries(value).map(([key, member]) => [key, isPlainObject(member) ? ownCopy(member) : member]),
  )
}
