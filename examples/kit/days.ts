const dayMs = 86_400_000

/** The day some days later, or earlier when `days` is negative. */
export function addDays(day: string, days: number): string {
  return dayOf(msOf(day) + days * dayMs)
}

/** The day of that date; undefined when there is none, such as 30 February. */
export function dayFrom(year: number, month: number, day: number): string | undefined {
  const ms = Date.UTC(year, month - 1, day)
  const date = new Date(ms)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? dayOf(ms) : undefined
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: string): number {
  return (new Date(msOf(day)).getUTCDay() + 6) % 7
}

export function yearOf(day: string): number {
  return Number(day.slice(0, 4))
}

/** 1 to 12. */
export function monthOf(day: string): number {
  return Number(day.slice(5, 7))
}

const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })

/** `Saturday 15 August 2026`. */
export function longDay(day: string): string {
  return full.format(msOf(day)).replace(',', '')
}

function msOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
