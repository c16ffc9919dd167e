import { expect, test } from 'vitest'
import { localTime, momentOf } from './zoned-time.ts'

test.each([
  ['2026-08-15T08:45:00', 'Europe/London', '2026-08-15T07:45:00.000Z'],
  ['2026-12-15T08:45:00', 'Europe/London', '2026-12-15T08:45:00.000Z'],
  ['2026-08-15T14:20:00', 'Europe/Athens', '2026-08-15T11:20:00.000Z'],
  ['2026-07-01T00:00:00', 'Atlantic/Reykjavik', '2026-07-01T00:00:00.000Z'],
  // The day on which the clocks go forward, before and after they do.
  ['2026-03-29T00:30:00', 'Europe/London', '2026-03-29T00:30:00.000Z'],
  ['2026-03-29T02:30:00', 'Europe/London', '2026-03-29T01:30:00.000Z'],
  ['2026-03-29T02:30:00', 'Europe/Athens', '2026-03-29T00:30:00.000Z'],
  ['2026-10-25T06:00:00', 'Europe/London', '2026-10-25T06:00:00.000Z'],
])('%s in %s is %s, and back', (local, zone, utc) => {
  const moment = momentOf(local, zone)
  expect(new Date(moment).toISOString()).toBe(utc)
  expect(localTime(moment, zone)).toBe(local)
})
