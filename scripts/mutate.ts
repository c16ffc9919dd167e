import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutantsOf, type Mutant } from './mutation/mutants.ts'
import { NearestTests } from './mutation/nearest-tests.ts'
import { TestRunner } from './mutation/run-tests.ts'
import { sample } from './mutation/sample.ts'
import { Workspace } from './mutation/workspace.ts'

// Changes the sources in small ways, one at a time and in a copy, and tells which changes no test notices:
// npm run mutate -- --count 20 --seed 1 --files 'packages/session/src/**'
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: 'packages/{core,session}/src/**/*.ts' },
    /** Only the mutants of this line. */
    line: { type: 'string' },
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    /** Which tests are run for each. When left out: all units of both packages, the nearest first, then the simulator. */
    tests: { type: 'string' },
    /** Without the simulator. */
    units: { type: 'boolean', default: false },
  },
})
const [count, seed] = [Number(values.count), Number(values.seed)]
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  console.error('Give --count and --seed as whole numbers, and --count above 0.')
  process.exit(1)
}

const root = fileURLToPath(new URL('..', import.meta.url))
// The contracts are tests themselves.
const isSource = (file: string) => /(?<!\.test|\.test-helper|\.d)\.ts$/.test(file) && !file.includes('/contracts/')
const files = globSync(values.files, { cwd: root }).filter(isSource)
const all = files.toSorted().map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }))
const lists = all.map(({ file, source }) => mutantsOf(file, source).map((mutant) => ({ file, ...mutant })))
const chosen = sample(values.line === undefined ? lists : lists.map(ofLine(Number(values.line))), count, seed)
console.log(
  `${files.length} files, ${lists.flat().length} mutants; ${chosen.length} of them are tried, from seed ${seed}`,
)

function ofLine(line: number) {
  return <Item extends Mutant>(list: readonly Item[]) => list.filter((mutant) => mutant.line === line)
}

interface Stage {
  readonly tests: readonly string[]
  /** Which of these tests: those with this in their name. */
  readonly name: string
}

type Verdict = 'killed' | 'survived' | 'timeout'

interface Tried {
  readonly verdict: Verdict
  /** The test that killed it. */
  readonly by?: string
}

const nearest = new NearestTests(root)
const workspace = new Workspace(root)
const runner = new TestRunner(workspace.folder)
let isEnding = false
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    isEnding = true
    runner.stop()
  })
}
const tally: Record<Verdict, number> = { killed: 0, survived: 0, timeout: 0 }
try {
  const limits = await measured()
  for (const mutant of chosen) {
    if (isEnding) break
    const { verdict, by } = await tried(mutant, limits)
    if (isEnding) break
    tally[verdict]++
    console.log(`${verdict}: ${mutant.file}:${mutant.line} ${mutant.change}${by === undefined ? '' : ` (by '${by}')`}`)
  }
} finally {
  runner.stop()
  workspace.remove()
}
console.log(`${tally.killed} killed, ${tally.timeout} killed by the time limit, ${tally.survived} survived`)

/** Most mutants do not get beyond the first tests. */
async function tried(mutant: Mutant & { readonly file: string }, limits: readonly number[]): Promise<Tried> {
  const path = join(workspace.folder, mutant.file)
  const original = readFileSync(path, 'utf8')
  writeFileSync(path, mutant.source)
  try {
    for (const [index, { tests, name }] of stagesFor(mutant.file).entries()) {
      const { outcome, by } = await runner.run({ changed: path, tests, name }, limits[index] ?? 0)
      if (outcome !== 'passed') return { verdict: outcome === 'failed' ? 'killed' : 'timeout', ...(by && { by }) }
    }
    return { verdict: 'survived' }
  } finally {
    writeFileSync(path, original)
  }
}

function stagesFor(file?: string): Stage[] {
  if (values.tests !== undefined) return [{ tests: values.tests.split(','), name: '' }]
  const near = file === undefined ? [] : nearest.of(file)
  const units = { tests: [...near, 'packages/core/src/', 'packages/session/src/'], name: '' }
  return values.units ? [units] : [units, { tests: ['test/simulation/'], name: 'every promise is kept' }]
}

/** For each stage three times what it takes without a mutant, which it must pass. */
async function measured(): Promise<number[]> {
  const limits: number[] = []
  for (const { tests, name } of stagesFor()) {
    const begun = performance.now()
    const { outcome } = await runner.run({ changed: '', tests, name }, 600_000)
    if (outcome !== 'passed' && !isEnding) {
      throw new Error(`${tests.join(', ')}: these tests fail without a mutant. Mend them first.`)
    }
    limits.push(3 * (performance.now() - begun) + 30_000)
  }
  return limits
}
