import { BeachError } from '@cool-ai/beach-core'
import { Cron } from 'croner'

/** The times that a pattern names. They follow from the pattern alone, so that every process has the same ones. */
export interface CronTicks {
  /** The first one after a time; undefined when there is none. */
  next(after: number): number | undefined
  /** The last ones up to a time, that one included, oldest first. */
  upTo(time: number, max: number): number[]
  /** The last ones after a time and up to another, oldest first. */
  between(after: number, upTo: number, max: number): number[]
}

const maxPatternLength = 200
const nicknames = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i
const minuteMs = 60_000

/**
 * Parses a cron pattern of five fields, or a name such as `@daily`. A time of day that a change of clocks skips is at
 * the end of the gap, one that comes twice is at its first time; patterns with several times a day go by elapsed time.
 */
export function cronTicks(pattern: string, timezone = 'UTC'): CronTicks {
  const wrong = (reason: string, cause?: unknown) =>
    new BeachError('INVALID_CONFIGURATION', `'${shown(pattern)}' is not a cron pattern: ${reason}`, { cause })
  // The library also reads dates, and its time grows with the length.
  if (pattern.length > maxPatternLength) throw wrong('it is too long.')
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
  // Searching for it again and again would take long.
  if (cron.nextRun(new Date(0)) === null) throw wrong('it never matches any time.')
  return new KnownTicks(cron)
}

/** Searching for a time takes long, and most searches are for the same one: it is cached. */
class KnownTicks implements CronTicks {
  readonly #cron: Cron
  #known: { readonly after: number; readonly next: number | undefined } | undefined

  constructor(cron: Cron) {
    this.#cron = cron
  }

  next(after: number): number | undefined {
    const known = this.#known
    if (known !== undefined && known.after <= after && after < (known.next ?? Infinity)) return known.next
    const next = this.#cron.nextRun(new Date(after))?.getTime()
    this.#known = { after, next }
    return next
  }

  upTo(time: number, max: number): number[] {
    const after = Math.floor(time / minuteMs) * minuteMs + 1_000
    const dates = this.#cron.previousRuns(max, new Date(after))
    return dates.map((date) => date.getTime()).toReversed()
  }

  between(after: number, upTo: number, max: number): number[] {
    const found: number[] = []
    for (let tick = this.next(after); tick !== undefined && tick <= upTo; tick = this.next(tick)) {
      found.push(tick)
      // After a long time it is shorter to search from its end.
      if (found.length > max) return this.upTo(upTo, max)
    }
    return found
  }
}

function checkTimezone(timezone: string): void {
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions()
  } catch (cause) {
    const message = `'${shown(timezone)}' is not a time zone; give one like Europe/Berlin.`
    throw new BeachError('INVALID_CONFIGURATION', message, { cause })
  }
}

function shown(text: string): string {
  return text.slice(0, 50)
}
