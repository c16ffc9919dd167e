import { describe, expect, test } from 'vitest'
import { plantedBugs, postgresBugs } from './planted-bugs.ts'
import { Simulation, type SimulationOptions } from './simulation.ts'

// `npm run sim` runs 2,000 seeds, these among them; what breaks a promise breaks it with one of the first, almost always.
const seedsPerTest = 100

async function firstFailure(from: number, count: number, options?: SimulationOptions) {
  for (let seed = from; seed < from + count; seed++) {
    const problems = await simulate(seed, options)
    if (problems.length > 0) return { seed, problems }
  }
  return undefined
}

function simulate(seed: number, options?: SimulationOptions): Promise<string[]> {
  return new Simulation(seed, options).run()
}

describe('whatever crashes, gets lost or comes twice', () => {
  test.each(Array.from({ length: 5 }, (_, index) => 1 + index * seedsPerTest))(
    'every promise is kept, from seed %i on',
    async (from) => {
      expect(await firstFailure(from, seedsPerTest)).toBeUndefined()
    },
  )
})

describe('on PostgreSQL, whatever is cut or not told', () => {
  // Each process has timers of its own: a seed takes four times as long.
  test.each([1, 26, 51])('every promise is kept, from seed %i on', async (from) => {
    expect(await firstFailure(from, 25, { postgres: {} })).toBeUndefined()
  })
})

describe('the simulator finds', () => {
  test.each(Object.entries(plantedBugs))('%s', async (_, bug) => {
    expect(await firstFailure(1, 1_500, { plant: bug })).toBeDefined()
  })

  test.each(Object.entries(postgresBugs))('on PostgreSQL %s', async (_, bug) => {
    expect(await firstFailure(1, 1_500, { postgres: { bug } })).toBeDefined()
  })
})

test.each([
  ['one store', {}],
  ['PostgreSQL', { postgres: {} }],
])('a seed replays exactly, on %s', async (_, options) => {
  const runs = [new Simulation(42, options), new Simulation(42, options)]
  for (const run of runs) await run.run()
  const [one, other] = await Promise.all(runs.map((run) => run.trace()))
  expect(one).toEqual(other)
  expect(JSON.stringify(one)).toContain('turnResumed')
})
