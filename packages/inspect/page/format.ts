const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const shortDay = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, notation: 'compact' })

export function when(at: number): string {
  return dateTime.format(at)
}

/** The time of today, or the day too. */
export function shortTime(at: number): string {
  return new Date(at).toDateString() === new Date().toDateString() ? time.format(at) : shortDay.format(at)
}

export function clockTime(at: number): string {
  return time.format(at)
}

export function count(value: number): string {
  return number.format(value)
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
  return `${(ms / 3_600_000).toFixed(1)} h`
}

/** How long after the beginning; clocks of several processes may put it before. */
export function offset(ms: number): string {
  return `${ms < 0 ? '−' : '+'}${duration(Math.abs(ms))}`
}

export function ago(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1_000)
  if (seconds < 5) return 'now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  return seconds < 2 * 86_400 ? `${Math.floor(seconds / 3_600)} h ago` : `${Math.floor(seconds / 86_400)} days ago`
}

/** A sum without a currency, which the agent's prices do not name. */
export function cost(value: number): string {
  if (value === 0) return '0'
  return value < 0.01 ? value.toFixed(5) : value.toFixed(2)
}

/** The end of an id, by which people tell ids apart. */
export function shortId(id: string): string {
  return id.length > 14 ? `…${id.slice(-8)}` : id
}

/** A number with what is counted. */
export function counted(value: number, one: string, several = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : several}`
}
