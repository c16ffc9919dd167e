import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { Simulation } from '../test/simulation/simulation.ts'

// Runs the simulator on more seeds than the tests do: npm run sim -- --seeds 10000 --from 1
const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '2000' }, from: { type: 'string', default: '1' } },
})
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
    const args = [...process.execArgv, process.argv[1] ?? '', '--seeds', String(count), '--from', String(start)]
    if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) process.exitCode = 1
  }
}

async function runSeeds(): Promise<void> {
  let failed = 0
  for (let seed = from; seed < from + seeds; seed++) {
    const problems = await new Simulation(seed).run()
    if (problems.length === 0) continue
    failed++
    console.log(`seed ${seed}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  }
  console.log(`${seeds} seeds from ${from}: ${failed === 0 ? 'every promise was kept' : `${failed} failed`}`)
  process.exitCode = failed === 0 ? 0 : 1
}
