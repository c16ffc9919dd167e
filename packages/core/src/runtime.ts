import { systemClock, type Clock } from './clock.ts'
import { encodeId, encodeSecond } from './ids.ts'
import { createLogger, type Logger } from './logger.ts'

/** What a deterministic program has to be given: time, identity, chance, and a place to write what happened. */
export interface Runtime {
  readonly clock: Clock
  readonly logger: Logger
  /** A new identifier: `<prefix>_`, the second in which it is made, and 96 random bits. */
  id(prefix: string): string
  /** A number in [0, 1). */
  random(): number
}

/** The machine's clock, the platform's secure random numbers, and a logger that writes JSON lines. */
export function systemRuntime(options: { logger?: Logger } = {}): Runtime {
  return {
    clock: systemClock,
    logger: options.logger ?? createLogger(),
    id: (prefix) => `${prefix}_${second()}${encodeId(randomBytes())}`,
    random: () => Math.random(),
  }
}

// Secure random numbers cost the same for few bytes as for thousands: they are fetched in bulk.
const pool = new Uint8Array(12 * 400)
let used = pool.length

let encoded = { at: 0, text: '' }

/** The current second. */
function second(): string {
  const at = Math.floor(systemClock.now() / 1_000)
  if (at !== encoded.at) encoded = { at, text: encodeSecond(at * 1_000) }
  return encoded.text
}

/** 12 bytes that were never issued before. */
function randomBytes(): Uint8Array {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  used += 12
  return pool.subarray(used - 12, used)
}
