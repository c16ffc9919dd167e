import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { paced } from './background-throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('what is quick runs each time', () => {
  let runs = 0
  const run = paced(
    () => runs++,
    () => 0,
  )
  run()
  run()
  expect(runs).toBe(2)
})

test('what takes long runs less often, and once more at the end', () => {
  let now = 0
  let runs = 0
  const run = paced(
    () => {
      runs++
      now += 10
    },
    () => now,
  )
  for (let times = 0; times < 5; times++) run()
  expect(runs).toBe(1)
  now += 30
  vi.advanceTimersByTime(30)
  expect(runs).toBe(2)
})
