import { elapsed, type Clock } from './clock.ts'

/** Something that counts against a limit. */
export interface Use {
  readonly key: string
  /** How many; a negative number gives some back. */
  readonly count: number
  /** How many of those that count stop counting in a second. */
  readonly perSecond: number
  /** Nothing is counted when more than that would count then; always counted when left out. */
  readonly max?: number | undefined
  /** True for what counts over a day: it is kept for two, over restarts too. */
  readonly isLasting?: boolean | undefined
}

/** How many count now, and whether this use is among them. */
export interface Used {
  readonly used: number
  readonly isCounted: boolean
}

/** How many counted at a time. */
export interface UseRecord {
  readonly used: number
  readonly at: number
}

/** Records older than this count for nothing, except for lasting ones. */
export const usesKeptMs = 60 * 60 * 1_000
/** Lasting records older than this count for nothing. */
export const lastingUsesKeptMs = 48 * 60 * 60 * 1_000
/** Lasting records are known by what their keys begin with. */
export const lastingPrefix = 'lasting:'

/** The key that a use is kept under. */
export function keptKey({ key, isLasting }: Pick<Use, 'key' | 'isLasting'>): string {
  return isLasting === true ? `${lastingPrefix}${key}` : key
}
const maxRecords = 20_000

/** The record after a use. A clock that was set back makes nothing count for longer. */
export function countUse(before: UseRecord | undefined, use: Use, now: number): UseRecord & Used {
  const { count, perSecond, max = Infinity } = use
  const worn = before === undefined ? 0 : (Math.max(now - before.at, 0) / 1_000) * perSecond
  const left = Math.max((before?.used ?? 0) - worn, 0)
  // Without the errors of floating-point arithmetic.
  const isCounted = left + count <= max + 1e-6
  return { used: isCounted ? Math.max(left + count, 0) : left, at: now, isCounted }
}

/** Counts uses in this process. Keys that were unused for longest are forgotten. */
export class UseCounts {
  readonly #clock: Clock
  readonly #records = new Map<string, UseRecord>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  count(uses: readonly Use[]): Used[] {
    return uses.map((use) => {
      const counted = countUse(this.#records.get(keptKey(use)), use, elapsed(this.#clock))
      this.#records.delete(keptKey(use))
      this.#records.set(keptKey(use), counted)
      const [oldest] = this.#records.keys()
      if (this.#records.size > maxRecords && oldest !== undefined) this.#records.delete(oldest)
      return counted
    })
  }
}
