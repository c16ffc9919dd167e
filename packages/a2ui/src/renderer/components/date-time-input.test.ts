import { expect, test } from 'vitest'
import { afterInput, inputValue } from './date-time-input.ts'

test.each([
  ['2026-05-01T17:30:00Z', 'datetime-local', '2026-05-01T17:30'],
  ['2026-05-01', 'datetime-local', '2026-05-01T00:00'],
  ['2026-05-01T17:30:00Z', 'date', '2026-05-01'],
  ['17:30:00', 'time', '17:30'],
  ['2026-05-01T17:30', 'time', '17:30'],
  ['', 'date', ''],
  ['soon', 'datetime-local', ''],
] as const)('%s in an input for %s is %s', (value, type, shown) => {
  expect(inputValue(value, type)).toBe(shown)
})

test('a date and time stay in the zone that they were in', () => {
  expect(afterInput('2026-05-02T08:00', '2026-05-01T17:30:00Z', 'datetime-local')).toBe('2026-05-02T08:00:00Z')
  expect(afterInput('2026-05-02T08:00', '2026-05-01T17:30:00+02:00', 'datetime-local')).toBe(
    '2026-05-02T08:00:00+02:00',
  )
  expect(afterInput('2026-05-02T08:00', '', 'datetime-local')).toBe('2026-05-02T08:00:00')
  expect(afterInput('2026-05-02', '2026-05-01T17:30:00Z', 'date')).toBe('2026-05-02')
})
