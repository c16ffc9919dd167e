import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { Simulation } from '../test/simulation/simulation.ts'

// Runs the simulator on more seeds than the tests do: npm run sim -- --seeds 10000 --from 1 --store postgres
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    store: { type: 'string', default: 'both' },
  },
})
const models = { shared: {}, postgres: { postgres: {} } }
const chosen = Object.entries(models).filter(([name]) => values.store === 'both' || values.store === name)
if (chosen.length === 0) {
  console.error('Give --store as shared or postgres, or leave it out for both.')
  process.exit(1)
}
const [seeds, from] = [Number(values.seeds), Number(values.from)]
if (!Number.isInteger(seeds) || !Number.isInteger(from) || seeds < 1) {
  console.error('Give --seeds and --from as whole numbers.')
  process.exit(1)
}
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
      values.store,
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
