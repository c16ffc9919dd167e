import { expect, test } from 'vitest'
import { readableDate, readableDuration } from './readable-value.ts'

test.for([
  ['2026-08-15', 'Sat 15 Aug 2026'],
  ['2026-08-15T08:45:00', 'Sat 15 Aug 2026, 08:45'],
  ['2026-08-15T08:45Z', 'Sat 15 Aug 2026, 08:45 UTC'],
  ['2026-08-15T08:45:30.120+02:00', 'Sat 15 Aug 2026, 08:45 +02:00'],
  ['2026-13-45', '2026-13-45'],
  ['2026-02-30', '2026-02-30'],
  ['BA 2043', 'BA 2043'],
  ['2026-08-15 is a Saturday', '2026-08-15 is a Saturday'],
] as const)('%s reads %s', ([text, expected]) => {
  expect(readableDate(text)).toBe(expected)
})

test.for([
  [0, '0 minutes'],
  [1, '1 minute'],
  [45, '45 minutes'],
  [60, '1 hour'],
  [150, '2 hours 30 minutes'],
  [540, '9 hours'],
  [1_500, '25 hours'],
  [2_880, '2 days'],
  [4_380, '3 days 1 hour'],
] as const)('%d minutes are %s', ([minutes, expected]) => {
  expect(readableDuration(minutes)).toBe(expected)
})
