import { TestRunner, type RunnerTestCase, type RunnerTestFile, type TestTryOptions } from 'vitest'
import { readPlan, write, type Line, type Plan } from './journal.ts'

interface State {
  tried: number
  readonly reached: Set<number>
  asked: number
  maxAsked: number
  readonly rounds: Int32Array
}

const state = (globalThis as unknown as { mutants: State }).mutants

/** How long a test may take is counted in rounds of the event loop: the machine may be busy with other things. */
const tickMs = 50
const leastTicks = 20
/** A test that works or waits for longer is run only with what no test before it has reached. */
const slowMs = 300
const slowTicks = 20
/** How often it may come to places where there are mutants. */
const leastAsked = 50_000

/**
 * Runs each test once without a mutant, then with each mutant that it has reached and that still lives. A test that a
 * mutant fails is run without one again: what it left behind must not kill the next one.
 */
export default class MutantRunner extends TestRunner {
  readonly #plan: Plan = readPlan(process.env.BEACH_MUTANT_PLAN ?? '')
  readonly #done = new Set(this.#plan.done)
  readonly #alive = new Set(this.#plan.mutants)
  #queue: number[] | undefined
  #isEnded = false
  #isLate = false
  #maxTicks = 0
  #maxAsked = 0
  #isSlow = false
  readonly #known = new Set(this.#plan.reached)

  #write(line: Line): void {
    write(this.#plan.journal, line)
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test)
    if (this.#done.has(test.id)) test.mode = 'skip'
    const loaded = [...state.reached]
    if (loaded.length > 0) this.#write({ kind: 'loaded', mutants: loaded })
    this.#queue = undefined
    this.#isEnded = false
    // Vitest compares with this number before each repetition.
    test.repeats = { valueOf: () => (this.#isEnded ? -1 : Infinity) } as unknown as number
  }

  override onBeforeTryTask(test: RunnerTestCase, options: TestTryOptions): void {
    super.onBeforeTryTask(test, options)
    state.reached.clear()
    this.#isLate = false
    // Hooks count too: some of them do more than the test itself.
    state.asked = 0
    state.maxAsked = state.tried === 0 ? Infinity : this.#maxAsked
    if (state.tried === 0) return
    this.#write({
      kind: 'trying',
      mutant: state.tried,
      test: test.id,
      name: nameOf(test),
      limitMs: this.#maxTicks * tickMs,
    })
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    let ticks = 0
    const before = process.cpuUsage()
    state.rounds[0] = 1
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        state.rounds[0] = 1 + ++ticks
        if (ticks <= this.#maxTicks || this.#queue === undefined) return
        this.#isLate = true
        reject(new Error('The test takes too long.'))
      }, tickMs)
    })
    try {
      await Promise.race([TestRunner.getTestFn(test)?.(), late])
    } finally {
      clearInterval(timer)
      state.rounds[0] = 0
    }
    if (state.tried !== 0) return
    const { user, system } = process.cpuUsage(before)
    this.#isSlow = (user + system) / 1_000 > slowMs || ticks > slowTicks
    this.#maxTicks = Math.max(this.#maxTicks, leastTicks + 10 * ticks)
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files)
    for (const { filepath } of files) this.#write({ kind: 'ended', file: filepath })
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options)
    if (state.tried === 0) this.#maxAsked = Math.max(this.#maxAsked, leastAsked + 10 * state.asked)
    const { result } = test
    const hasFailed = result?.state === 'fail'
    const why = result?.errors?.[0]?.message ?? ''
    if (result !== undefined) {
      delete result.errors
      if (result.attempts !== undefined) result.attempts.length = 0
    }
    if (state.tried !== 0) {
      const [mutant, by] = [state.tried, nameOf(test)]
      state.tried = 0
      if (hasFailed) {
        this.#alive.delete(mutant)
        this.#write({ kind: 'killed', mutant, by, late: this.#isLate })
        return
      }
    } else if (hasFailed) {
      this.#write({ kind: 'broken', why: `${nameOf(test)}: ${why}` })
      process.kill(process.pid, 'SIGKILL')
    } else if (this.#queue === undefined) {
      const reached = [...state.reached]
      this.#write({ kind: 'reached', test: nameOf(test), mutants: reached })
      const passed = new Set(this.#plan.passed?.test === test.id ? this.#plan.passed.mutants : [])
      this.#queue = reached.filter((mutant) => this.#alive.has(mutant) && !passed.has(mutant))
      if (this.#isSlow) this.#queue = this.#queue.filter((mutant) => !this.#known.has(mutant))
      for (const mutant of reached) this.#known.add(mutant)
    }
    state.reached.clear()
    state.tried = this.#queue?.shift() ?? 0
    if (state.tried !== 0) return
    this.#isEnded = true
    this.#maxTicks = this.#maxAsked = 0
    this.#write({ kind: 'done', test: test.id })
  }
}

function nameOf(test: RunnerTestCase): string {
  return `${test.file.name} > ${test.fullTestName}`
}
