const maxMs = 24 * 60 * 60 * 1_000

/** The milliseconds that a `Retry-After` header asks for, in seconds or as a date; undefined when it says nothing. */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  const isDate = /^[A-Z][a-z]+,? \d/.test(text)
  if (!isDate && !/^\d{1,9}$/.test(text)) return undefined
  const ms = isDate ? Date.parse(text) - now : Number(text) * 1_000
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxMs)
}
