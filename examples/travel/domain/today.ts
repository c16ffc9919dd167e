import { BeachError, type Clock } from '@cool-ai/beach-core'
import { addDays, longDate } from './iso-date.ts'
import { localTime } from './zoned-time.ts'

/** Where the office of ExampleTravel is. */
const zone = 'Europe/London'

/** The day that it is for ExampleTravel. */
export function todayIn(clock: Clock): string {
  return localTime(clock.now(), zone).slice(0, 10)
}

/** A day that has not passed; an error that says so of one that has. */
export function upcoming(date: string, today: string): string {
  if (date >= today) return date
  throw new BeachError('BAD_REQUEST', `${longDate(date)} has passed. Give a day from ${longDate(today)} on.`)
}

/** The day of a journey of which nothing else is known: a Saturday ten weeks from now. */
export function defaultDeparture(today: string): string {
  const tenWeeks = addDays(today, 70)
  const weekday = new Date(`${tenWeeks}T00:00:00Z`).getUTCDay()
  return addDays(tenWeeks, 6 - weekday)
}
