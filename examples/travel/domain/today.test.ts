import { SimulatedClock } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { defaultDeparture, todayIn, upcoming } from './today.ts'

test('it is the day that it is in London', () => {
  expect(todayIn(new SimulatedClock(Date.UTC(2026, 5, 6, 22, 59)))).toBe('2026-06-06')
  expect(todayIn(new SimulatedClock(Date.UTC(2026, 5, 6, 23, 1)))).toBe('2026-06-07')
})

test('today has not passed, and yesterday has', () => {
  expect(upcoming('2026-06-06', '2026-06-06')).toBe('2026-06-06')
  expect(() => upcoming('2026-06-05', '2026-06-06')).toThrow(
    'Friday 5 June 2026 has passed. Give a day from Saturday 6 June 2026 on.',
  )
})

test('a journey of which nothing is known begins on a Saturday about ten weeks ahead', () => {
  expect(defaultDeparture('2026-06-06')).toBe('2026-08-15')
  expect(defaultDeparture('2026-06-07')).toBe('2026-08-22')
  expect(defaultDeparture('2026-11-18')).toBe('2027-01-30')
})
