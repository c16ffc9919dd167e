import { expect, test } from 'vitest'
import { RateWindow } from './rate-window.ts'

test('a place takes as much as its limit in each window, and says how long to wait', () => {
  let now = 1_000
  const rate = new RateWindow(() => now)
  expect(rate.wait('one')).toBeUndefined()
  rate.limit = { count: 2, perMs: 5_000 }
  expect([rate.wait('one'), rate.wait('one')]).toEqual([undefined, undefined])
  now += 1_000
  expect(rate.wait('one')).toBe(4)
  expect(rate.wait('another')).toBeUndefined()
  now += 4_000
  expect(rate.wait('one')).toBeUndefined()
  expect(rate.refused).toBe(1)
})

test('the next ones can be refused whatever was taken before', () => {
  const rate = new RateWindow(() => 0)
  rate.refuseNext(3, 1)
  expect([rate.wait('one'), rate.wait('one'), rate.wait('one')]).toEqual([3, 1, undefined])
})
