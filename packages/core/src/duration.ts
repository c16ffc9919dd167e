import { BeachError } from './errors.ts'

/** A length of time: milliseconds, or words such as `3 days` and `90 s`. */
export type Duration = number | string

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
}

/** A duration as milliseconds; throws for what is none. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number' && duration >= 0) return duration
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]+?)s?$/.exec(String(duration)) ?? []
  const ms = units[unit] ?? units[`${unit}s`]
  if (count !== undefined && ms !== undefined) return Number(count) * ms
  const message = `'${duration}' is not a duration. Give milliseconds, or words such as '500 ms', '90 seconds', '3 days'.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}
