import type { Clock } from '@cool-ai/beach-core'
import type { Emit, PlannedTool, ToolRun } from '@cool-ai/beach-core/ports'
import { elapsed, withDefaults } from '@cool-ai/beach-core/runtime'

/** The limits of one turn. */
export interface BudgetLimits {
  readonly steps?: number | undefined
  readonly tokens?: number | undefined
  /** Without the time in which a peer has the turn: the peer's own budget limits that. */
  readonly timeMs?: number | undefined
  /** In the currency of the prices that the actor was given. */
  readonly cost?: number | undefined
}

/** What one model call cost. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly cost?: number
}

const defaultBudget = { steps: 20, tokens: 400_000, timeMs: 5 * 60_000 } as const

/** Counts what a turn has used. */
export class Budget {
  readonly #limits: BudgetLimits
  readonly #clock: Clock
  readonly #start: number
  /** How long peers have had the turn, how many have it now, and since when. */
  #delegatedMs = 0
  #delegated = 0
  #delegatedSince = 0
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
    if (this.#steps >= steps) return `This took ${this.#steps} steps, the limit of one turn.`
    if (this.#tokens >= tokens) return `This took ${this.#tokens} tokens; ${tokens} are allowed.`
    if (this.#cost >= cost) return `This has reached its cost limit.`
    return this.timeLeft() <= 0 ? `This took longer than the ${timeMs / 1_000} seconds that are allowed.` : undefined
  }

  tokensLeft(): number {
    return (this.#limits.tokens ?? Infinity) - this.#tokens
  }

  timeLeft(): number {
    const now = elapsed(this.#clock)
    const delegatedMs = this.#delegatedMs + (this.#delegated > 0 ? now - this.#delegatedSince : 0)
    return (this.#limits.timeMs ?? Infinity) - (now - this.#start - delegatedMs)
  }

  /** A peer has the turn: its own budget limits the time, until the returned function is called. */
  delegate(): () => void {
    if (this.#delegated++ === 0) this.#delegatedSince = elapsed(this.#clock)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      if (--this.#delegated === 0) this.#delegatedMs += elapsed(this.#clock) - this.#delegatedSince
    }
  }

  /** Runs a tool of the turn; the time while the turn is delegated does not count for the actor. */
  async run<Value>(tool: PlannedTool<Value>['run'], run: ToolRun): Promise<Value> {
    let returned = () => {}
    const emit: Emit = (parts, turnState, place) => {
      returned()
      if (turnState === 'delegated') returned = this.delegate()
      return run.emit(parts, turnState, place)
    }
    try {
      return await tool({ ...run, emit })
    } finally {
      returned()
    }
  }
}
