import type { Clock } from '@cool-ai/beach-core'
import { elapsed, LruMap } from '@cool-ai/beach-core/runtime'
import type { Limit } from './limits.ts'
import type { UseSharing } from './use-sharing.ts'

/** What allowances measure time with, and the other processes that they are shared with. */
export interface AllowancesOptions {
  readonly clock: Clock
  /** With one, what is taken in other processes counts too. */
  readonly sharing?: UseSharing | undefined
}

type AllowanceLimit = Pick<Limit, 'max' | 'window'>

interface Entry {
  readonly key: string
  readonly limit: AllowanceLimit
  used: number
  /** When it wore off last, by the monotonic clock. */
  at: number
  /** What the other processes have not been told. */
  unshared: number
  /** When they were told last, and told what they have taken. */
  sharedAt: number
}

const dayMs = 24 * 60 * 60 * 1_000
const maxEntries = 40_000
/** The other processes are told once this part of a limit was taken. */
const sharedInParts = 20
/** Of a day they are told at the latest after this time, if anything is taken then. */
const sharedWithinMs = 5_000

/**
 * What was taken of limits. Of a minute's limit a burst may be taken at once, which then comes back steadily; a day's
 * begins anew at midnight UTC. Processes share what they take in parts of a twentieth of a limit, so that several of them
 * may exceed it by one part each. Entries that were unused for longest are forgotten.
 */
export class Allowances {
  readonly #clock: Clock
  readonly #sharing: UseSharing | undefined
  readonly #entries = new LruMap<Entry>(maxEntries)

  constructor({ clock, sharing }: AllowancesOptions) {
    this.#clock = clock
    this.#sharing = sharing
  }

  /**
   * Takes so many, and returns 0; when that is too often it takes nothing, and returns after how many seconds to come
   * again. A count of 0 asks whether anything is left, a negative one gives back, and what is used already always counts.
   */
  take(name: string, count: number, limit: AllowanceLimit, isUsed = false): number {
    const { max, window } = limit
    const isDay = window === 'day'
    const now = elapsed(this.#clock)
    const key = isDay ? `${name} ${this.#today()}` : name
    let entry = this.#entries.get(key)
    if (entry === undefined) {
      entry = { key, limit, used: 0, at: now, unshared: 0, sharedAt: -Infinity }
      this.#entries.set(key, entry)
    } else if (!isDay) {
      entry.used = Math.max(0, entry.used - (Math.max(now - entry.at, 0) / 60_000) * max)
      entry.at = now
    }
    // Without the errors of floating-point arithmetic.
    if (!isUsed && (count === 0 ? entry.used >= max : count > 0 && entry.used + count > max + 1e-6)) {
      return isDay ? this.#untilTomorrow() : Math.max(1, Math.ceil(((entry.used + count - max) * 60) / max - 1e-6))
    }
    entry.used = Math.max(0, entry.used + count)
    if (this.#sharing === undefined) return 0
    entry.unshared += count
    const isLate = isDay && now - entry.sharedAt > sharedWithinMs
    if (isLate || Math.abs(entry.unshared) >= max / sharedInParts) this.#sharing.add(key, this.#taken(entry, now))
    return 0
  }

  /** Waits until it is known what was taken of a day before this process has counted any of it; undefined when it is. */
  learn(name: string, limit: AllowanceLimit): Promise<void> | undefined {
    if (this.#sharing === undefined || limit.window === 'minute') return undefined
    const key = `${name} ${this.#today()}`
    const known = this.#entries.get(key)
    if (known !== undefined && known.sharedAt !== -Infinity) return undefined
    const entry = known ?? { key, limit, used: 0, at: 0, unshared: 0, sharedAt: -Infinity }
    this.#entries.set(key, entry)
    return this.#sharing.ask(key, this.#taken(entry, elapsed(this.#clock)))
  }

  /** Tells the other processes, and the next one, what they do not know yet. */
  async close(): Promise<void> {
    for (const entry of this.#entries.values()) {
      if (entry.unshared > 0 && entry.limit.window === 'day') this.#sharing?.add(entry.key, this.#taken(entry, 0))
    }
    await this.#sharing?.flush()
  }

  #taken(entry: Entry, now: number) {
    const { max, window } = entry.limit
    const count = entry.unshared
    entry.unshared = 0
    entry.sharedAt = now
    const isLasting = window === 'day'
    const learn = (used: number) => (entry.used = used + entry.unshared)
    return { count, isLasting, learn, perSecond: isLasting ? 0 : max / 60 }
  }

  #today(): number {
    return Math.floor(this.#clock.now() / dayMs)
  }

  #untilTomorrow(): number {
    return Math.max(1, Math.ceil((dayMs - (this.#clock.now() % dayMs)) / 1_000))
  }
}
