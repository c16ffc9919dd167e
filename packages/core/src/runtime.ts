import { systemClock, type Clock } from './clock.ts'
import { encodeId } from './ids.ts'
import { createLogger, type Logger } from './logger.ts'

/** What a deterministic program has to be given: time, identity, chance, and a place to write what happened. */
export interface Runtime {
  readonly clock: Clock
  readonly logger: Logger
  /** A new identifier: `<prefix>_` and 128 random bits. */
  id(prefix: string): string
  /** A number in [0, 1). */
  random(): number
}

/** The machine's clock, the platform's secure random numbers, and a logger that writes JSON lines. */
export function systemRuntime(options: { logger?: Logger } = {}): Runtime {
  return {
    clock: systemClock,
    logger: options.logger ?? createLogger(),
    id: (prefix) => `${prefix}_${encodeId(randomBytes())}`,
    random: () => Math.random(),
  }
}

// Secure random numbers cost the same for 16 bytes as for thousands: they are fetched in bulk.
const pool = new Uint8Array(4_096)
let used = pool.length

/** 16 bytes that nobody has been given before. */
function randomBytes(): Uint8Array {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  used += 16
  return pool.subarray(used - 16, used)
}
