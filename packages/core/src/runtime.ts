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
    id: (prefix) => `${prefix}_${encodeId(crypto.getRandomValues(new Uint8Array(16)))}`,
    random: () => Math.random(),
  }
}
