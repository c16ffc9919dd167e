import { formatDate } from '../model/format-date.ts'

const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** A day or a time in ISO form as people write it, such as `Sat 15 Aug 2026, 08:45`; every other text as it is. */
export function readableDate(text: string, locale = 'en-GB'): string {
  const [found, zone = ''] = isoTime.exec(text) ?? []
  if (found === undefined || !isDay(found.slice(0, 10))) return text
  const written = formatDate(text, text.includes('T') ? 'EEE d MMM yyyy, HH:mm' : 'EEE d MMM yyyy', locale)
  return `${written} ${zone === 'Z' ? 'UTC' : zone}`.trim()
}

/** The calendar has it: there is no 30 February. */
function isDay(date: string): boolean {
  const at = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date)
}

/** A number of minutes as people say it: `45 minutes`, `2 hours 30 minutes`, `9 hours`, `3 days`. */
export function readableDuration(minutes: number): string {
  const whole = Math.round(minutes)
  if (!Number.isFinite(whole) || whole < 60) return count(whole, 'minute')
  const hours = Math.floor(whole / 60)
  // A day of work or of travel is told in hours; only what is longer than two days is not.
  const [first, second] =
    hours < 48
      ? [count(hours, 'hour'), count(whole % 60, 'minute')]
      : [count(Math.floor(hours / 24), 'day'), count(hours % 24, 'hour')]
  return second.startsWith('0 ') ? first : `${first} ${second}`
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}
