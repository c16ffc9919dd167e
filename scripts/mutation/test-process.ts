import { createVitest, type Reporter } from 'vitest/node'
import { conditions } from '../../vitest.config.ts'

// A process that runs tests in one worker, in the given order, and answers with the first that failed. With a plan each
// mutant is tried with each test that reaches it (`runner.ts`); without one there is a mutant from the start of the
// worker, and a new worker for each request.

export interface TestRequest {
  /** Patterns of test files. */
  readonly tests: readonly string[]
  /** Files that are left out. */
  readonly without?: readonly string[]
  /** A part of the tests' names. */
  readonly name: string
  readonly mutant: number
  readonly plan?: string
}

export interface TestAnswer {
  /** How many test files there were to run. */
  readonly count: number
  /** How many of them came to their end: a mutant may end the worker. */
  readonly ended: number
  /** The first test that failed. */
  readonly failed?: string
}

class InGivenOrder {
  shard = <Files>(files: Files) => files
  sort = <Files>(files: Files) => files
}

let failed: string | undefined
let ended = 0
const reporter: Reporter = {
  onTestCaseResult: (test) => {
    if (test.result().state === 'failed') failed ??= test.fullName
  },
  onTestModuleEnd: (module) => {
    ended++
    if (module.state() === 'failed') failed ??= module.relativeModuleId
  },
  onTestRunEnd: (_, errors) => {
    if (errors.length > 0) failed ??= 'an error that no test caught'
  },
}

const here = import.meta.dirname
process.on('message', (request: TestRequest) => void run(request))
process.once('disconnect', () => process.exit())

let vitest: Awaited<ReturnType<typeof start>> | undefined

function start({ plan }: TestRequest) {
  const vite = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } }
  return createVitest(
    {
      config: false,
      watch: false,
      include: ['packages/**/*.test.ts', 'test/**/*.test.ts'],
      exclude: ['**/node_modules/**', '**/dist/**'],
      setupFiles: ['test/support/property-seed.ts'],
      execArgv: ['--conditions=@cool-ai/source', '--import', `${here}/prelude.mjs`, '--max-old-space-size=1500'],
      isolate: false,
      maxWorkers: 1,
      ...(plan === undefined ? { bail: 1 } : { runner: `${here}/runner.ts` }),
      // A mutant often waits for what never comes.
      testTimeout: plan === undefined ? 10_000 : 600_000,
      hookTimeout: 10_000,
      reporters: [reporter],
      sequence: { sequencer: InGivenOrder, setupFiles: 'list' },
      silent: true,
    },
    vite,
  )
}

async function run(request: TestRequest): Promise<void> {
  failed = undefined
  ended = 0
  process.env.BEACH_MUTANT = String(request.mutant)
  process.env.BEACH_MUTANT_PLAN = request.plan
  const { tests, without = [], name } = request
  vitest ??= await start(request)
  await vitest.standalone()
  const all = await vitest.globTestSpecifications()
  vitest.setGlobalTestNamePattern(name)
  const left = all.filter(({ moduleId }) => !without.includes(moduleId))
  const chosen = new Set(tests.flatMap((test) => left.filter(({ moduleId }) => moduleId.includes(`/${test}`))))
  if (chosen.size > 0) await vitest.runTestSpecifications([...chosen])
  const answer: TestAnswer = { count: chosen.size, ended, ...(failed !== undefined && { failed }) }
  process.send?.(answer)
}
