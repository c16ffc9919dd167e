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
