import { BeachError } from '@cool-ai/beach-core'
import type { RecordTimes } from '@cool-ai/beach-core/ports'
import { withDefaults, type AllGiven } from '@cool-ai/beach-core/runtime'
import type { RetentionRule } from './retention.ts'

/** How long what is over is kept, in milliseconds. `Infinity` keeps it for ever; what is left out has a default. */
export interface RetentionTimes extends Partial<RecordTimes> {
  /** Sessions of guests in which nothing was ever said; 30 days when left out. */
  readonly emptySessionsMs?: number | undefined
  /** Sessions of guests, after the last thing that happened in them; a year when left out. */
  readonly guestSessionsMs?: number | undefined
  /** All sessions, after the last thing that happened in them; for ever when left out. */
  readonly sessionsMs?: number | undefined
}

const dayMs = 24 * 60 * 60 * 1_000

const defaultTimes = {
  recordsMs: 30 * dayMs,
  threadsMs: 365 * dayMs,
  emptySessionsMs: 30 * dayMs,
  guestSessionsMs: 365 * dayMs,
  sessionsMs: Infinity,
} as const satisfies AllGiven<RetentionTimes>

/** All times. Younger than two days nothing goes: until then idempotency keys tell what came twice. */
export function retentionTimes(given: RetentionTimes = {}): AllGiven<RetentionTimes> {
  for (const [name, ms] of Object.entries(given)) {
    if (!Object.hasOwn(defaultTimes, name)) {
      const known = Object.keys(defaultTimes).join(', ')
      throw new BeachError('INVALID_CONFIGURATION', `There is no '${name}' in \`retention\`. There are: ${known}.`)
    }
    if (ms === undefined) continue
    if (typeof ms !== 'number' || Number.isNaN(ms) || ms < 2 * dayMs) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        `\`retention.${name}\` is at least two days, in milliseconds; \`Infinity\` keeps for ever.`,
      )
    }
  }
  return withDefaults(defaultTimes, given)
}

/** Refuses rules that cannot be meant. Younger than two days nothing goes: until then it tells what came twice. */
export function checkRules(rules: readonly RetentionRule[]): void {
  for (const { keepMs } of rules) {
    if (!Number.isFinite(keepMs) || keepMs < 2 * dayMs) {
      throw new BeachError('INVALID_CONFIGURATION', 'A retention rule keeps messages for at least two days: `keepMs`.')
    }
  }
}
