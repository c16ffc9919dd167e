import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutantsOf, type Mutant } from './mutation/mutants.ts'
import { NearestTests } from './mutation/nearest-tests.ts'
import { runTests, type Outcome } from './mutation/run-tests.ts'
import { sample } from './mutation/sample.ts'
import { Workspace } from './mutation/workspace.ts'

// Changes the sources in small ways, one at a time and in a copy, and tells which changes no test notices:
// npm run mutate -- --count 20 --seed 1 --files 'packages/session/src/**'
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: 'packages/{core,session}/src/**/*.ts' },
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    /** Which tests are run for each. When left out: the nearest, then all units of both packages, then the simulator. */
    tests: { type: 'string' },
    /** Only the nearest: quick, and too strict with the tests. */
    near: { type: 'boolean', default: false },
  },
})
const [count, seed] = [Number(values.count), Number(values.seed)]
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  console.error('Give --count and --seed as whole numbers, and --count above 0.')
  process.exit(1)
}

const root = fileURLToPath(new URL('..', import.meta.url))
const files = globSync(values.files, { cwd: root }).filter((file) => /(?<!\.test|\.test-helper|\.d)\.ts$/.test(file))
const all = files.toSorted().map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }))
const lists = all.map(({ file, source }) => mutantsOf(file, source).map((mutant) => ({ file, ...mutant })))
const chosen = sample(lists, count, seed)
console.log(
  `${files.length} files, ${lists.flat().length} mutants; ${chosen.length} of them are tried, from seed ${seed}`,
)

const mostNear = 6
const nearest = new NearestTests(root)
const ending = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort())
const { signal } = ending
const workspace = new Workspace(root)
const tally: Record<Verdict, number> = { killed: 0, survived: 0, timeout: 0 }
try {
  const limits = new Map<string, number>()
  for (const mutant of chosen) {
    if (signal.aborted) break
    const verdict = await tried(mutant, limits)
    if (signal.aborted) break
    tally[verdict]++
    console.log(`${verdict}: ${mutant.file}:${mutant.line} ${mutant.change}`)
  }
} finally {
  workspace.remove()
}
console.log(`${tally.killed} killed, ${tally.timeout} killed by the time limit, ${tally.survived} survived`)

type Verdict = 'killed' | 'survived' | 'timeout'

/** Runs the nearest tests first: most mutants do not get any further. */
async function tried(mutant: Mutant & { readonly file: string }, limits: Map<string, number>): Promise<Verdict> {
  const path = join(workspace.folder, mutant.file)
  const original = readFileSync(path, 'utf8')
  for (const tests of testsFor(mutant.file)) {
    const timeoutMs = await limitFor(tests, limits)
    writeFileSync(path, mutant.source)
    let outcome: Outcome
    try {
      outcome = await runTests(workspace.folder, tests, { timeoutMs, signal })
    } finally {
      writeFileSync(path, original)
    }
    if (outcome !== 'passed') return outcome === 'failed' ? 'killed' : 'timeout'
  }
  return 'survived'
}

function testsFor(file: string): string[][] {
  if (values.tests !== undefined) return [values.tests.split(',')]
  const near = [nearest.of(file).slice(0, mostNear)].filter((tests) => tests.length > 0)
  return values.near ? near : [...near, ['packages/core/src', 'packages/session/src'], ['test/simulation']]
}

/** Three times what the tests take without a mutant, which they must pass. */
async function limitFor(tests: readonly string[], limits: Map<string, number>): Promise<number> {
  const known = limits.get(tests.join())
  if (known !== undefined) return known
  const begun = performance.now()
  const outcome = await runTests(workspace.folder, tests, { timeoutMs: 600_000, signal })
  if (outcome !== 'passed' && !signal.aborted) {
    throw new Error(`${tests.join(', ')}: these tests fail without a mutant. Mend them first.`)
  }
  const limit = 3 * (performance.now() - begun) + 20_000
  limits.set(tests.join(), limit)
  return limit
}
