import { SimulatedClock } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { GuessLimit } from './guess-limit.ts'

function guesses() {
  const clock = new SimulatedClock()
  const limit = new GuessLimit(clock)
  const isLet = (network: string, isRight = false) => {
    try {
      const guess = limit.begin(network)
      if (isRight) guess.wasRight()
      return true
    } catch {
      return false
    }
  }
  return { clock, limit, isLet }
}

test('a network may guess wrong twenty times, and once more every three seconds', async () => {
  const { clock, isLet, limit } = guesses()
  expect(Array.from({ length: 25 }, () => isLet('a')).filter(Boolean)).toHaveLength(20)
  expect(() => limit.begin('a')).toThrow('Try again in 3 s.')
  expect(isLet('b')).toBe(true)
  await clock.advance(3_000)
  expect([isLet('a'), isLet('a')]).toEqual([true, false])
})

test('what was right does not count', () => {
  const { isLet } = guesses()
  for (let time = 0; time < 100; time++) expect(isLet('a', true)).toBe(true)
})

test('all networks may guess a thousand times a minute; one that has not guessed yet is let in all the same', () => {
  const { isLet } = guesses()
  for (let network = 0; network < 50; network++) {
    for (let time = 0; time < 20; time++) expect(isLet(`n${network}`)).toBe(true)
  }
  expect([isLet('new'), isLet('new')]).toEqual([true, false])
  for (let time = 0; time < 5; time++) expect(isLet('approver', true)).toBe(true)
})
