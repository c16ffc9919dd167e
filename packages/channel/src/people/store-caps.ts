import { createHash } from 'node:crypto'
import type { Clock, Store } from '@cool-ai/beach-core'

/** A limit on how often something may happen within a time. */
export interface Cap {
  /** What is counted, such as `mail to anna@example.com`. */
  readonly what: string
  readonly max: number
  readonly windowMs: number
}

/** `new` was counted now, `again` was counted before under the same name; otherwise the cap that is full. */
export type CapResult = 'new' | 'again' | { readonly full: Cap }

/** An hour, in milliseconds. */
export const hourMs = 60 * 60 * 1_000
/** A day, in milliseconds. */
export const dayMs = 24 * hourMs

const sweptAtOnce = 50
const digits = 14

/**
 * Counts in the store, over restarts and processes. Each count is a key that begins with the end of its window, so that
 * what is over is found first and swept away by later counts; what is refused writes nothing. Processes that count at the
 * same moment may exceed a cap by as many as they are.
 */
export class StoreCaps {
  readonly #store: Store
  readonly #prefix: string
  readonly #clock: Clock

  constructor(store: Store, prefix: string, clock: Clock) {
    this.#store = store
    this.#prefix = prefix
    this.#clock = clock
  }

  /** Counts something under all caps, or under none when one of them is full. The same name counts once in a window. */
  async count(name: string, caps: readonly Cap[]): Promise<CapResult> {
    const now = this.#clock.now()
    await this.#sweep(now)
    const keys: string[] = []
    for (const cap of caps) {
      const start = `${this.#prefix}${windowEnd(now, cap.windowMs)}:${digestOf(cap.what)}:`
      const key = start + digestOf(name)
      const entries = await this.#store.list(start, undefined, cap.max)
      if (entries.some((entry) => entry.key === key)) continue
      if (entries.length >= cap.max) return { full: cap }
      keys.push(key)
    }
    for (const key of keys) await this.#store.bind(key, '')
    return keys.length > 0 ? 'new' : 'again'
  }

  async #sweep(now: number): Promise<void> {
    const current = this.#prefix + String(Math.floor(now) + 1).padStart(digits, '0')
    const oldest = await this.#store.list(this.#prefix, undefined, sweptAtOnce)
    for (const { key } of oldest) if (key < current) await this.#store.unbind(key)
  }
}

function windowEnd(now: number, windowMs: number): string {
  return String((Math.floor(now / windowMs) + 1) * windowMs).padStart(digits, '0')
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}
