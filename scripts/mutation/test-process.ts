import { createVitest, type Reporter } from 'vitest/node'

// A process that keeps one Vitest: it is sent what to run, and answers with whether a test failed. Only the changed
// file is read again.

/** What to run: files or folders, those that are to come first before the others. */
export interface TestRequest {
  readonly changed: string
  readonly tests: readonly string[]
  readonly name: string
}

class InGivenOrder {
  shard = <Files>(files: Files) => files
  sort = <Files>(files: Files) => files
}

let hasFailed = false
const reporter: Reporter = {
  onTestModuleEnd: (module) => {
    hasFailed ||= module.state() === 'failed'
  },
  onTestRunEnd: (_, errors) => {
    hasFailed ||= errors.length > 0
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

process.on('message', async ({ changed, tests, name }: TestRequest) => {
  hasFailed = false
  vitest.invalidateFile(changed)
  vitest.setGlobalTestNamePattern(name)
  const found = await Promise.all(tests.map((test) => vitest.globTestSpecifications([test])))
  const specifications = new Map(found.flat().map((one) => [one.moduleId, one]))
  if (specifications.size > 0) await vitest.runTestSpecifications([...specifications.values()])
  process.send?.({ hasFailed, count: specifications.size })
})
process.once('disconnect', () => process.exit())
