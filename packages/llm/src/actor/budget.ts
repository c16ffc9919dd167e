import type { Clock } from '@cool-ai/beach-core'
import { elapsed, withDefaults } from '@cool-ai/beach-core/runtime'

/** What one turn may take at the most. */
export interface BudgetLimits {
  readonly steps?: number | undefined
  readonly tokens?: number | undefined
  readonly timeMs?: number | undefined
  /** In the currency of the prices that the actor was given. */
  readonly cost?: number | undefined
}

/** What one model call took. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly cost?: number
}

const defaultBudget = { steps: 20, tokens: 400_000, timeMs: 5 * 60_000 } as const

/** Counts what a turn has taken. */
export class Budget {
  readonly #limits: BudgetLimits
  readonly #clock: Clock
  readonly #start: number
  #steps = 0
  #tokens = 0
  #cost = 0

  constructor(limits: BudgetLimits, clock: Clock) {
    this.#limits = withDefaults(defaultBudget, limits)
    this.#clock = clock
    this.#start = elapsed(clock)
  }

  add(usage: Usage): void {
    this.#steps++
    this.#tokens += usage.inputTokens + usage.outputTokens
    this.#cost += usage.cost ?? 0
  }

  /** Why there may be no further model call; undefined when there may. */
  exceeded(): string | undefined {
    const { steps = Infinity, tokens = Infinity, timeMs = Infinity, cost = Infinity } = this.#limits
    if (this.#steps >= steps) return `This took ${this.#steps} steps, which is as many as are allowed.`
    if (this.#tokens >= tokens) return `This took ${this.#tokens} tokens; ${tokens} are allowed.`
    if (this.#cost >= cost) return `This has cost as much as is allowed.`
    return this.timeLeft() <= 0 ? `This took longer than the ${timeMs / 1_000} seconds that are allowed.` : undefined
  }

  tokensLeft(): number {
    return (this.#limits.tokens ?? Infinity) - this.#tokens
  }

  timeLeft(): number {
    return (this.#limits.timeMs ?? Infinity) - (elapsed(this.#clock) - this.#start)
  }
}
