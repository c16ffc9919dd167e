import { SimulatedClock } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { Rate } from './rate.ts'

test('some may come at once, and others as time passes, but never more than some', async () => {
  const clock = new SimulatedClock()
  const rate = new Rate(clock, { burst: 3, perSecond: 2 })
  const take = (count: number) => Array.from({ length: count }, () => rate.take())
  expect(take(4)).toEqual([true, true, true, false])
  await clock.advance(400)
  expect(rate.take()).toBe(false)
  await clock.advance(100)
  expect(take(2)).toEqual([true, false])
  await clock.advance(60_000)
  expect(take(4)).toEqual([true, true, true, false])
})

test('a rate says when to come again, and what is given back can be taken again', async () => {
  const clock = new SimulatedClock()
  const rate = new Rate(clock, { burst: 2, perSecond: 1 / 30 })
  rate.take()
  rate.take()
  expect(rate.retryAfter).toBe(30)
  await clock.advance(10_000)
  expect(rate.retryAfter).toBe(20)
  rate.giveBack()
  rate.giveBack()
  rate.giveBack()
  expect([rate.take(), rate.take(), rate.take()]).toEqual([true, true, false])
})
