import { monthOf } from './iso-date.ts'

// January to December: summer is dear, and so are the weeks around the turn of the year.
const factors = [0.82, 0.84, 0.9, 1, 1.05, 1.15, 1.32, 1.4, 1.1, 0.98, 0.82, 1]

/** How much dearer or cheaper than usual things are on that day. */
export function seasonFactor(date: string): number {
  return factors[monthOf(date) - 1] ?? 1
}

/** A price in whole pounds on that day. */
export function seasonalPrice(basePrice: number, date: string): number {
  return Math.round(basePrice * seasonFactor(date))
}
