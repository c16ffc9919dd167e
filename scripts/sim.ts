import { spawnSync } from 'node:child_process'
import { Simulation } from '../test/simulation/simulation.ts'
import { scriptOptions } from './options.ts'

const { seeds, from, store } = scriptOptions({
  command: 'npm run sim',
  about: 'Runs the simulator on more seeds than the tests do. A seed that failed fails again: --from it --seeds 1.',
  options: {
    seeds: { about: 'how many seeds', default: 2_000 },
    from: { about: 'the first seed', default: 1, min: 0 },
    store: { about: 'whose semantics the store has', default: 'both', oneOf: ['both', 'shared', 'postgres'] },
  },
})
const models = { shared: {}, postgres: { postgres: {} } }
const chosen = Object.entries(models).filter(([name]) => store === 'both' || store === name)
// Processes that died in a simulation stay in memory for good, so many seeds take many processes.
const max = 2_000
if (seeds > max) runInParts()
else await runSeeds()

function runInParts(): void {
  for (let start = from; start < from + seeds; start += max) {
    const count = Math.min(max, from + seeds - start)
    const args = [
      ...process.execArgv,
      process.argv[1] ?? '',
      '--seeds',
      String(count),
      '--from',
      String(start),
      '--store',
      store,
    ]
    if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) process.exitCode = 1
  }
}

async function runSeeds(): Promise<void> {
  let failed = 0
  for (let seed = from; seed < from + seeds; seed++) {
    for (const [name, options] of chosen) {
      const problems = await new Simulation(seed, options).run()
      if (problems.length === 0) continue
      failed++
      console.log(`seed ${seed}, ${name} store:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    }
  }
  console.log(`${seeds} seeds from ${from}: ${failed === 0 ? 'every promise was kept' : `${failed} failed`}`)
  process.exitCode = failed === 0 ? 0 : 1
}
