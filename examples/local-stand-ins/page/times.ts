/** A time of today by its hour, any other by its day. */
export function shortTime(at: number, now: number = Date.now()): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return new Intl.DateTimeFormat('en-GB', isToday ? { timeStyle: 'short' } : { day: 'numeric', month: 'short' }).format(
    at,
  )
}

export function longTime(at: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(at)
}
