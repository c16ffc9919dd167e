/** `pricePerPerson` as people write it. */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A word or a sentence with a capital at its beginning. */
export function asName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** An amount as shops write it: whole pounds without pence. */
export function money(amount: number, currency: string | undefined): string {
  const digits = Number.isInteger(amount) ? 0 : 2
  try {
    return new Intl.NumberFormat('en-GB', {
      style: 'currency',
      currency: currency ?? 'GBP',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(amount)
  } catch {
    // What is no currency is shown as it came.
    return `${amount} ${currency}`
  }
}

const localTime = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?/

/** The day of a local time, such as `Sat 15 Aug`; the text itself when it is none. */
export function day(local: string): string {
  const [, date] = localTime.exec(local) ?? []
  const at = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(at)) return local
  return new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    at,
  )
}

/** An instant on the viewer's clock with its time zone, such as `Sat 15 Aug, 08:45 BST`; undefined when it is none. */
export function localDayAndTime(at: number, timeZone?: string): string | undefined {
  if (Number.isNaN(at)) return undefined
  const style = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  const zone = timeZone === undefined ? {} : { timeZone }
  return new Intl.DateTimeFormat('en-GB', { ...style, timeZoneName: 'short', ...zone }).format(at).replace(' at ', ', ')
}

/** The day of a local time in a sentence, such as `15 August 2026`; the text itself when it is none. */
export function longDay(local: string): string {
  const [, date] = localTime.exec(local) ?? []
  const at = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(at)) return local
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    at,
  )
}

/** The time of day of a local time, such as `08:45`; empty when it has none. */
export function timeOfDay(local: string): string {
  return localTime.exec(local)?.[2] ?? ''
}

/** How many days later the second local time is. */
export function daysLater(from: string, to: string): number {
  const midnight = (local: string) => Date.parse(`${local.slice(0, 10)}T00:00:00Z`)
  const days = Math.round((midnight(to) - midnight(from)) / 86_400_000)
  return Number.isNaN(days) ? 0 : days
}

/** For how many, at the end of a sentence; nothing when it is not known. */
export function forPeople(count: number | undefined): string {
  return count === undefined ? '' : ` for ${count} ${count === 1 ? 'person' : 'people'}`
}

/** A number of bytes, such as `12 kB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** How long until then, in one unit: `in 23 hours`. */
export function until(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((at - now) / 1_000))
  if (seconds < 120) return `in ${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `in ${minutes} minutes`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `in ${hours} hours` : `in ${Math.round(hours / 24)} days`
}

/** A moment as the clock on the wall says it, with its day unless that is today. */
export function moment(at: number, now: number): string {
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(at)
  if (new Date(at).toDateString() === new Date(now).toDateString()) return time
  return `${new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }).format(at)}, ${time}`
}
