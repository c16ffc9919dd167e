const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/i
const token = /''|'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+/g

/**
 * A date by a pattern of Unicode TR35, such as `EEE d MMM, HH:mm`. It is shown as it is written: who reads the text form
 * is in no known time zone, so 19:00+02:00 is seven in the evening. What is no date is shown unchanged.
 */
export function formatDate(value: unknown, pattern: string, locale: string): string {
  const date = dateOf(value)
  if (date === undefined) return typeof value === 'string' ? value : ''
  if (pattern === 'ISO') return date.toISOString()
  return pattern.replaceAll(token, (found, letter?: string) => {
    if (found.startsWith("'")) return found === "''" ? "'" : found.slice(1, -1).replaceAll("''", "'")
    return letter === undefined ? found : field(date, letter, found.length, locale)
  })
}

function dateOf(value: unknown): Date | undefined {
  if (typeof value === 'number') return validDate(new Date(value))
  const [, year, month, day, hour = 0, minute = 0, second = 0] = iso.exec(typeof value === 'string' ? value : '') ?? []
  if (year === undefined) return undefined
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  return validDate(new Date(at))
}

function validDate(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date
}

function field(date: Date, letter: string, width: number, locale: string): string {
  switch (letter) {
    case 'y':
      return width === 2 ? padded(date.getUTCFullYear() % 100, 2) : padded(date.getUTCFullYear(), width)
    case 'M':
    case 'L':
      if (width <= 2) return padded(date.getUTCMonth() + 1, width)
      return inWords(date, locale, { month: lengthOf(width) })
    case 'd':
      return padded(date.getUTCDate(), width)
    case 'E':
    case 'c':
      return inWords(date, locale, { weekday: lengthOf(width) })
    case 'a':
      return date.getUTCHours() < 12 ? 'AM' : 'PM'
    case 'H':
      return padded(date.getUTCHours(), width)
    case 'h':
      return padded(date.getUTCHours() % 12 || 12, width)
    case 'm':
      return padded(date.getUTCMinutes(), width)
    case 's':
      return padded(date.getUTCSeconds(), width)
    default:
      return ''
  }
}

function lengthOf(width: number): 'short' | 'long' | 'narrow' {
  return width === 4 ? 'long' : width === 5 ? 'narrow' : 'short'
}

function inWords(date: Date, locale: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(date)
}

function padded(value: number, width: number): string {
  return String(value).padStart(Math.min(width, 4), '0')
}
