import { BeachError } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'

/** How long a foreign answer is waited for, and how much of it is read. `Infinity` is no limit. */
export interface FetchLimits {
  /** From the call to the last byte of the body, redirects included. */
  readonly totalMs: number
  /** From the call to the head of the answer, redirects included. */
  readonly headersMs: number
  /** Between two pieces of the body, while the consumer waits for the next one. */
  readonly idleMs: number
  /** The bytes of the body, after decompression. */
  readonly bytes: number
}

/** Limits of an ordinary answer. */
export const defaultLimits: FetchLimits = { totalMs: 30_000, headersMs: 10_000, idleMs: 10_000, bytes: 1024 * 1024 }

/** Limits for bodies that go on, such as server-sent events: no end, but no long silence either. */
export const streamLimits: Partial<FetchLimits> = { totalMs: Infinity, bytes: Infinity, idleMs: 60_000 }

/** The limits with these in place of some; each must be above 0. */
export function withLimits(limits: FetchLimits, given: Partial<FetchLimits> = {}): FetchLimits {
  const wrong = Object.entries(given).find(([, value]) => value !== undefined && !(value > 0))
  if (wrong === undefined) return withDefaults(limits, given)
  throw new BeachError('INVALID_CONFIGURATION', `The limit ${wrong[0]} must be above 0; Infinity is no limit.`)
}
