import { BeachError } from '@cool-ai/beach-core'

const dayMs = 86_400_000

/** A day as `2026-08-15`: what was given when it is a real day of this century, else an error that says what to do. */
export function isoDate(text: string, name = 'date'): string {
  const isWritten = /^20\d\d-\d\d-\d\d$/.test(text)
  if (isWritten && dateOf(msOf(text)) === text) return text
  throw new BeachError(
    'BAD_REQUEST',
    `The ${name} '${text}' is not a day that exists. Give it as YYYY-MM-DD, from 2000 to 2099.`,
  )
}

export function addDays(date: string, days: number): string {
  return dateOf(msOf(date) + days * dayMs)
}

/** How many nights lie between two days; negative when the second is earlier. */
export function nightsBetween(from: string, to: string): number {
  return (msOf(to) - msOf(from)) / dayMs
}

/** 1 to 12. */
export function monthOf(date: string): number {
  return Number(date.slice(5, 7))
}

/** `Saturday 15 August 2026`. */
export function longDate(date: string): string {
  return longFormat.format(msOf(date)).replace(',', '')
}

/** `Sat 15 Aug`. */
export function shortDate(date: string): string {
  return shortFormat.format(msOf(date)).replace(',', '')
}

const shortFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})
const longFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })

function msOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`)
}

function dateOf(ms: number): string {
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 10)
}
