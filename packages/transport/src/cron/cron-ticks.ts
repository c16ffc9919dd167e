import { BeachError } from '@cool-ai/beach-core'
import { Cron } from 'croner'

/** The times that a pattern names. They follow from the pattern alone, so that every process has the same ones. */
export interface CronTicks {
  /** The first one after a time; undefined when there is none. */
  next(after: number): number | undefined
  /** The last ones up to a time, that one included, oldest first. */
  upTo(time: number, most: number): number[]
}

const longestPattern = 200
const nicknames = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i
const minuteMs = 60_000

/**
 * Reads a cron pattern of five fields, or a name such as `@daily`. A time of day that a change of clocks leaves out is
 * at the end of the gap, one that comes twice is at its first time; patterns with several times a day go by the time
 * that really passes.
 */
export function cronTicks(pattern: string, timezone = 'UTC'): CronTicks {
  const wrong = (reason: string, cause?: unknown) =>
    new BeachError('INVALID_CONFIGURATION', `'${shown(pattern)}' is no cron pattern: ${reason}`, { cause })
  // The library also reads dates, and its time grows with the length.
  if (pattern.length > longestPattern) throw wrong('it is too long.')
  const isFields = pattern.trim().split(/\s+/).length === 5 && !/[:@]/.test(pattern)
  if (!isFields && !nicknames.test(pattern.trim())) {
    throw wrong('give five fields (minute, hour, day, month, weekday) or a name such as @daily.')
  }
  checkTimezone(timezone)
  let cron: Cron
  try {
    cron = new Cron(pattern.trim(), { paused: true, timezone, mode: '5-part' })
  } catch (cause) {
    throw wrong(cause instanceof Error ? cause.message.replace(/^CronPattern: /, '') : 'it cannot be read.', cause)
  }
  // It would be looked for in vain again and again, which takes long.
  if (cron.nextRun(new Date(0)) === null) throw wrong('it names no time that ever comes.')
  return {
    next: (after) => cron.nextRun(new Date(after))?.getTime(),
    upTo: (time, most) => {
      const after = Math.floor(time / minuteMs) * minuteMs + 1_000
      return cron
        .previousRuns(most, new Date(after))
        .map((date) => date.getTime())
        .toReversed()
    },
  }
}

function checkTimezone(timezone: string): void {
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions()
  } catch (cause) {
    const message = `'${shown(timezone)}' is no time zone; give one like Europe/Berlin.`
    throw new BeachError('INVALID_CONFIGURATION', message, { cause })
  }
}

function shown(text: string): string {
  return text.slice(0, 50)
}
