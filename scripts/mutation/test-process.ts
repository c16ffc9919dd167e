import { createVitest, type Reporter } from 'vitest/node'

// A process that keeps one Vitest: it is sent what to run, and answers with the first test that failed. Only
// changed files are read again.

/** What to run: files or folders, those that are to come first before the others, and a part of the tests' names. */
export interface TestRequest {
  readonly changed: string
  readonly tests: readonly string[]
  readonly name: string
}

export interface TestAnswer {
  /** How many test files there were to run. */
  readonly count: number
  /** The first test that failed. */
  readonly failed?: string
}

class InGivenOrder {
  shard = <Files>(files: Files) => files
  sort = <Files>(files: Files) => files
}

let failed: string | undefined
const reporter: Reporter = {
  onTestCaseResult: (test) => {
    if (test.result().state === 'failed') failed ??= test.fullName
  },
  onTestModuleEnd: (module) => {
    if (module.state() === 'failed') failed ??= module.relativeModuleId
  },
  onTestRunEnd: (_, errors) => {
    if (errors.length > 0) failed ??= 'an error that no test caught'
  },
}

const vitest = await createVitest({
  configLoader: 'native',
  watch: false,
  bail: 1,
  maxWorkers: 1,
  // A mutant often waits for what never comes.
  testTimeout: 15_000,
  hookTimeout: 15_000,
  reporters: [reporter],
  sequence: { sequencer: InGivenOrder },
  silent: true,
})
await vitest.standalone()
const all = await vitest.globTestSpecifications()

// Also those that have been put back since.
const changedFiles = new Set<string>()

process.on('message', (request: TestRequest) => void run(request))
process.once('disconnect', () => process.exit())

async function run({ changed, tests, name }: TestRequest): Promise<void> {
  failed = undefined
  changedFiles.add(changed)
  for (const file of changedFiles) vitest.invalidateFile(file)
  vitest.setGlobalTestNamePattern(name)
  const chosen = new Set(tests.flatMap((test) => all.filter(({ moduleId }) => moduleId.includes(`/${test}`))))
  if (chosen.size > 0) await vitest.runTestSpecifications([...chosen])
  const answer: TestAnswer = { count: chosen.size, ...(failed !== undefined && { failed }) }
  process.send?.(answer)
}
