import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutantsOf, switchedSource, type Mutant } from './mutation/mutants.ts'
import { NearestTests } from './mutation/nearest-tests.ts'
import { sample } from './mutation/sample.ts'
import { tryFromStart } from './mutation/try-from-start.ts'
import { Trial, type Verdict } from './mutation/trial.ts'
import { Workspace } from './mutation/workspace.ts'

// Changes the sources in small ways, in a copy, and tells which changes no test notices:
// npm run mutate -- --count 500 --seed 1 --files 'packages/session/src/**'
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: 'packages/{core,session}/src/**/*.ts' },
    /** Only the mutants of this line. */
    line: { type: 'string' },
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    /** Only what has survived according to what an earlier run has printed into this file. */
    again: { type: 'string' },
    /** Which tests are run, by the beginnings of their paths. When left out: all units of both packages, then the simulator. */
    tests: { type: 'string' },
    /** Of those only tests with this in their name. */
    name: { type: 'string', default: '' },
    /** Without the simulator. */
    units: { type: 'boolean', default: false },
  },
})
const [count, seed] = [Number(values.count), Number(values.seed)]
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  console.error('Give --count and --seed as whole numbers, and --count above 0.')
  process.exit(1)
}

interface Numbered extends Mutant {
  readonly id: number
  readonly file: string
}

const root = fileURLToPath(new URL('..', import.meta.url))
// The contracts are tests themselves.
const isSource = (file: string) => /(?<!\.test|\.test-helper|\.d)\.ts$/.test(file) && !file.includes('/contracts/')
const files = globSync(values.files, { cwd: root }).filter(isSource).toSorted()
const workspace = new Workspace(root)
const lists = files.map(() => [] as Numbered[])
let last = 0
for (const [index, file] of files.entries()) {
  const source = readFileSync(join(root, file), 'utf8')
  writeFileSync(join(workspace.folder, file), switchedSource(file, source, last + 1))
  lists[index] = mutantsOf(file, source).map((mutant) => ({ ...mutant, file, id: ++last }))
}
const survived = values.again === undefined ? undefined : new Set(readFileSync(values.again, 'utf8').split('\n'))
const isWanted = (mutant: Numbered) =>
  (values.line === undefined || mutant.line === Number(values.line)) &&
  (survived === undefined ||
    survived.has(`survived: ${named(mutant)}`) ||
    survived.has(`not reached: ${named(mutant)}`))
const wanted = lists.map((list) => list.filter(isWanted))
const chosen = new Map(sample(wanted, count, seed).map((one) => [one.id, one]))
if (chosen.size === 0) {
  console.error('There is nothing to try. Look at --files, --line and --again.')
  workspace.remove()
  process.exit(1)
}
console.log(`${files.length} files, ${last} mutants; ${chosen.size} of them are tried, from seed ${seed}`)

const tests = values.tests?.split(',') ?? ['packages/core/src/', 'packages/session/src/']
const verdicts = new Map<number, Verdict>()
const reached = new Set<number>()
const loaded = new Set<number>()
let stop = () => {}
let isEnding = false
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    isEnding = true
    stop()
  })
}
try {
  await tryEach(tests, values.name)
  await tryLoaded()
  if (values.tests === undefined && !values.units) await tryEach(['test/simulation/'], 'from seed 1 on')
} finally {
  workspace.remove()
}
const survivors = alive()
for (const mutant of survivors) {
  const isReached = reached.has(mutant.id) || loaded.has(mutant.id)
  console.log(`${isReached ? 'survived' : 'not reached'}: ${named(mutant)}`)
}
const late = [...verdicts.values()].filter(({ verdict }) => verdict === 'timeout').length
console.log(
  `${verdicts.size - late} killed, ${late} killed by the time limit, ${survivors.length} survived${isEnding ? ' until the end by hand' : ''}`,
)

function alive(): Numbered[] {
  return [...chosen.values()].filter(({ id }) => !verdicts.has(id))
}

function named({ file, line, change }: Numbered): string {
  return `${file}:${line} ${change}`
}

function onVerdict(id: number, verdict: Verdict): void {
  verdicts.set(id, verdict)
  const mutant = chosen.get(id)
  if (mutant !== undefined) console.log(`${verdict.verdict}: ${named(mutant)} (by '${verdict.by}')`)
}

/** All that still live, with every test that reaches them. */
async function tryEach(these: readonly string[], name: string): Promise<void> {
  if (isEnding) return
  const living = alive().map(({ id }) => id)
  const trial = new Trial(living, { folder: workspace.folder, tests: these, name, onVerdict })
  stop = () => trial.stop()
  await trial.run()
  for (const id of trial.reached) reached.add(id)
  for (const id of trial.loaded) loaded.add(id)
}

/** Those that decide something only while modules are loaded, one by one. */
async function tryLoaded(): Promise<void> {
  const nearest = new NearestTests(root)
  const living = alive().filter(({ id }) => loaded.has(id) && !reached.has(id))
  const requests = living.map(({ id, file }) => ({
    mutant: id,
    tests: values.tests === undefined ? [...nearest.of(file), ...tests] : tests,
  }))
  const end = new AbortController()
  stop = () => end.abort()
  if (!isEnding) await tryFromStart(requests, { folder: workspace.folder, onVerdict, signal: end.signal })
}
