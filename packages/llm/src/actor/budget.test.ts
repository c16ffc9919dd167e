import { SimulatedClock } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { Budget } from './budget.ts'

test('a turn has the time that it has, whatever the clock is set to meanwhile', async () => {
  const clock = new SimulatedClock()
  const budget = new Budget({ timeMs: 1_000 }, clock)
  clock.step(60 * 60 * 1_000)
  expect(budget.exceeded()).toBeUndefined()
  clock.step(-2 * 60 * 60 * 1_000)
  await clock.advance(999)
  expect(budget.exceeded()).toBeUndefined()
  await clock.advance(1)
  expect(budget.exceeded()).toContain('longer')
})

test('the time in which peers have the turn is not the actor’s, however many have it at once', async () => {
  const clock = new SimulatedClock()
  const budget = new Budget({ timeMs: 1_000 }, clock)
  await clock.advance(400)
  const ends = [budget.delegate(), budget.delegate()]
  await clock.advance(60_000)
  expect(budget.timeLeft()).toBe(600)
  for (const end of ends) end()
  // Ended once, however often that is said.
  ends[0]?.()
  await clock.advance(599)
  expect(budget.exceeded()).toBeUndefined()
  await clock.advance(1)
  expect(budget.exceeded()).toContain('longer')
})
