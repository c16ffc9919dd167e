import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { allEdges } from '../test/fuzz/all-edges.ts'
import type { Edge } from '../test/fuzz/edge.ts'
import { fuzz } from '../test/fuzz/run-fuzz.ts'

/*
 * Looks for inputs that no test has: npm run fuzz
 *   -- --inputs 10000000    damaged inputs for every parser and route, in all; --edge A2A for those of one
 *   -- --rounds 20          the property tests on other cases than `npm test` has
 * Both follow from --seed.
 */
const { values } = parseArgs({
  options: {
    inputs: { type: 'string' },
    edge: { type: 'string', default: '' },
    rounds: { type: 'string' },
    seed: { type: 'string', default: String(Math.trunc(Math.random() * 2 ** 30)) },
  },
})
const seed = wholeNumber('seed', values.seed)
const isEither = values.inputs !== undefined || values.rounds !== undefined
if (values.inputs !== undefined || !isEither) await damagedInputs(wholeNumber('inputs', values.inputs ?? '1000000'))
if (values.rounds !== undefined || !isEither) propertyTests(wholeNumber('rounds', values.rounds ?? '20'))

/** In portions, each with an agent of its own: a store in memory keeps what it is given. */
async function damagedInputs(inputs: number): Promise<void> {
  const portion = 1_000
  let done = 0
  let problems = 0
  const slowest: Record<string, number> = {}
  const began = performance.now()
  for (let round = 0; done < inputs && problems === 0; round++) {
    const { edges, close } = await allEdges()
    const chosen = edges.filter(({ name }: Edge) => name.includes(values.edge))
    if (chosen.length === 0)
      fail(`There is no edge '${values.edge}'. There are: ${edges.map(({ name }) => name).join(', ')}.`)
    const each = Math.min(portion, Math.ceil((inputs - done) / chosen.length))
    const report = await fuzz({ edges: chosen, each, seed: seed + round })
    await close()
    done += report.inputs
    problems += report.found.length
    for (const [name, { slowestMs }] of Object.entries(report.edges))
      slowest[name] = Math.max(slowest[name] ?? 0, slowestMs)
    for (const { edge, input, what } of report.found) console.log(`${edge}: ${what}\n  input: ${JSON.stringify(input)}`)
    if (round % 20 === 0) console.log(`${done} inputs, ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  }
  console.table(
    Object.fromEntries(Object.entries(slowest).map(([name, ms]) => [name, { 'slowest, ms of CPU': Math.round(ms) }])),
  )
  console.log(
    `${done} inputs from seed ${seed}: ${problems === 0 ? 'no crash, no stall, no change' : `${problems} problems`}`,
  )
  if (problems > 0) process.exitCode = 1
}

function propertyTests(rounds: number): void {
  const files = globSync('{packages,examples,test}/**/*.test.ts', { exclude: ['**/node_modules/**'] }).filter((file) =>
    readFileSync(file, 'utf8').includes("from 'fast-check'"),
  )
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--configLoader=native', '--reporter=dot', ...files]
  const failed: number[] = []
  for (let round = seed; round < seed + rounds; round++) {
    console.log(`\nseed ${round}`)
    const env = { ...process.env, BEACH_SEED: String(round) }
    const { status } = spawnSync(process.execPath, [...process.execArgv, ...vitest], { stdio: 'inherit', env })
    if (status !== 0) failed.push(round)
  }
  const result = failed.length === 0 ? 'all passed' : `${failed.join(', ')} failed`
  console.log(`${files.length} files, ${rounds} seeds from ${seed}: ${result}`)
  if (failed.length > 0) process.exitCode = 1
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0) fail(`--${name} is a whole number.`)
  return number
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
