import { describe, expect, test } from 'vitest'
import { plantedBugs } from './planted-bugs.ts'
import { Simulation } from './simulation.ts'

// `npm run sim` runs 2,000 seeds, these among them; what breaks a promise breaks it with one of the first, almost always.
const seedsPerTest = 100

async function firstFailure(from: number, count: number, bug?: Parameters<typeof simulate>[1]) {
  for (let seed = from; seed < from + count; seed++) {
    const problems = await simulate(seed, bug)
    if (problems.length > 0) return { seed, problems }
  }
  return undefined
}

function simulate(seed: number, bug?: (typeof plantedBugs)[string]): Promise<string[]> {
  return new Simulation(seed, bug).run()
}

describe('whatever crashes, gets lost or comes twice', () => {
  test.each(Array.from({ length: 5 }, (_, index) => 1 + index * seedsPerTest))(
    'every promise is kept, from seed %i on',
    async (from) => {
      expect(await firstFailure(from, seedsPerTest)).toBeUndefined()
    },
  )
})

describe('the simulator finds', () => {
  test.each(Object.entries(plantedBugs))('%s', async (_, bug) => {
    expect(await firstFailure(1, 1_500, bug)).toBeDefined()
  })
})

test('a seed replays exactly', async () => {
  const runs = [new Simulation(42), new Simulation(42)]
  for (const run of runs) await run.run()
  const [one, other] = await Promise.all(runs.map((run) => run.trace()))
  expect(one).toEqual(other)
  expect(JSON.stringify(one)).toContain('turnResumed')
})
