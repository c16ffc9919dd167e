import { SimulatedClock } from '@cool-ai/beach-core'
import { UseCounts } from '@cool-ai/beach-core/runtime'
import { expect, test } from 'vitest'
import { GuessLimit, type GuessLimitOptions } from './guess-limit.ts'

function guesses(clock = new SimulatedClock(), store?: GuessLimitOptions['store']) {
  const limit = new GuessLimit({ clock, name: 'codes', store })
  const isLet = async (network: string, isRight = false) => {
    try {
      const guess = await limit.begin(network)
      if (isRight) await guess.wasRight()
      return true
    } catch {
      return false
    }
  }
  return { clock, limit, isLet }
}

test('a network may guess wrong twenty times, and once more every three seconds', async () => {
  const { clock, isLet, limit } = guesses()
  let isLetIn = 0
  for (let time = 0; time < 25; time++) if (await isLet('a')) isLetIn++
  expect(isLetIn).toBe(20)
  await expect(limit.begin('a')).rejects.toThrow('Try again in 3 s.')
  expect(await isLet('b')).toBe(true)
  await clock.advance(3_000)
  expect([await isLet('a'), await isLet('a')]).toEqual([true, false])
})

test('what was right does not count', async () => {
  const { isLet } = guesses()
  for (let time = 0; time < 100; time++) expect(await isLet('a', true)).toBe(true)
})

test('all networks may guess a thousand times a minute; one that has not guessed yet is let in all the same', async () => {
  const { isLet } = guesses()
  for (let network = 0; network < 50; network++) {
    for (let time = 0; time < 20; time++) expect(await isLet(`n${network}`)).toBe(true)
  }
  expect([await isLet('new'), await isLet('new')]).toEqual([true, false])
  for (let time = 0; time < 5; time++) expect(await isLet('approver', true)).toBe(true)
})

test('guesses at the same moment in several processes have one limit', async () => {
  const clock = new SimulatedClock()
  const counts = new UseCounts(clock)
  const store = { countUses: async (uses: Parameters<UseCounts['count']>[0]) => counts.count(uses) }
  const processes = [guesses(clock, store), guesses(clock, store), guesses(clock, store)]
  const tries = await Promise.all(processes.flatMap(({ isLet }) => Array.from({ length: 20 }, () => isLet('a'))))
  expect(tries.filter(Boolean)).toHaveLength(20)
})
