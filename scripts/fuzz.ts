import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

// Runs the property tests on other cases than the tests do: npm run fuzz -- --rounds 20 --from 1
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    from: { type: 'string', default: String(Math.trunc(Math.random() * 2 ** 30)) },
  },
})
const [rounds, from] = [Number(values.rounds), Number(values.from)]
if (!Number.isInteger(rounds) || !Number.isInteger(from) || rounds < 1) {
  console.error('Give --rounds and --from as whole numbers.')
  process.exit(1)
}

const files = globSync('{packages,examples,test}/**/*.test.ts', { exclude: ['**/node_modules/**'] }).filter((file) =>
  readFileSync(file, 'utf8').includes("from 'fast-check'"),
)
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--configLoader=native', '--reporter=dot', ...files]
const failed: number[] = []
for (let seed = from; seed < from + rounds; seed++) {
  console.log(`\nseed ${seed}`)
  const env = { ...process.env, BEACH_SEED: String(seed) }
  const { status } = spawnSync(process.execPath, [...process.execArgv, ...vitest], { stdio: 'inherit', env })
  if (status !== 0) failed.push(seed)
}
console.log(
  `${files.length} files, ${rounds} seeds from ${from}: ${failed.length === 0 ? 'all passed' : `${failed.join(', ')} failed`}`,
)
process.exitCode = failed.length === 0 ? 0 : 1
