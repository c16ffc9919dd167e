import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Line, Passed, Plan } from './journal.ts'
import { TestProcess } from './run-tests.ts'

export interface Verdict {
  readonly verdict: 'killed' | 'timeout'
  /** The test that killed it. */
  readonly by: string
}

export interface TrialOptions {
  readonly folder: string
  readonly tests: readonly string[]
  /** A part of the tests' names. */
  readonly name: string
  readonly onVerdict: (mutant: number, verdict: Verdict) => void
}

type Trying = Extract<Line, { kind: 'trying' }>

/** How much longer than its limit a test may take on a busy machine before its process is ended. */
const graceMs = 120_000

/** Tries mutants with the tests that reach them, in a process that is started again when a mutant has ended it. */
export class Trial {
  readonly reached = new Set<number>()
  /** Those that are reached while modules are loaded: only a process of their own can try them. */
  readonly loaded = new Set<number>()
  readonly #options: TrialOptions
  readonly #done = new Set<string>()
  readonly #ended = new Set<string>()
  readonly #folder = mkdtempSync(join(tmpdir(), 'beach-mutants-'))
  readonly #tests: TestProcess
  #alive: Set<number>
  #passed: Passed | undefined
  #trying: Trying | undefined
  #since = 0
  #broken = ''
  #isStopped = false

  constructor(mutants: Iterable<number>, options: TrialOptions) {
    this.#alive = new Set(mutants)
    this.#options = options
    this.#tests = new TestProcess(options.folder)
  }

  stop(): void {
    this.#isStopped = true
    this.#tests.stop()
  }

  async run(): Promise<void> {
    try {
      while (!this.#isStopped && !(await this.#round()));
    } finally {
      this.#tests.stop()
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  /** Until all is done, or the process ends; says which. */
  async #round(): Promise<boolean> {
    const [journal, path] = [join(this.#folder, 'journal'), join(this.#folder, 'plan')]
    const passed = this.#passed && { passed: this.#passed }
    const plan: Plan = {
      journal,
      done: [...this.#done],
      reached: [...this.reached],
      ...passed,
      mutants: [...this.#alive],
    }
    writeFileSync(journal, '')
    writeFileSync(path, JSON.stringify(plan))
    this.#trying = undefined
    this.#broken = ''
    this.#since = performance.now()
    const before = this.#progress()
    const file = openSync(journal, 'r')
    let rest = ''
    const look = () => {
      const lines = (rest + readOn(file)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#take(JSON.parse(line) as Line)
    }
    const timer = setInterval(() => {
      look()
      if (performance.now() - this.#since > (this.#trying?.limitMs ?? 120_000) + graceMs) this.#tests.stop()
    }, 1_000)
    const { tests, name } = this.#options
    const outcome = await this.#tests.run({ tests, without: [...this.#ended], name, mutant: 0, plan: path })
    clearInterval(timer)
    look()
    closeSync(file)
    this.#tests.stop()
    if (outcome !== 'ended' && outcome.count + this.#ended.size === 0)
      throw new Error(`There are no tests at ${tests.join(', ')}.`)
    if (outcome !== 'ended' && outcome.count === outcome.ended) return true
    if (this.#isStopped) return false
    this.#endedBy(this.#trying)
    if (this.#progress() > before) return false
    throw new Error(`The tests do not pass without a mutant. Mend them first. ${this.#broken}`)
  }

  #endedBy(trying: Trying | undefined): void {
    if (trying === undefined) return
    this.#settle(trying.mutant, { verdict: 'timeout', by: `${trying.name}: the process came to its end` })
  }

  #progress(): number {
    return this.#done.size - this.#alive.size
  }

  #settle(mutant: number, verdict: Verdict): void {
    if (this.#alive.delete(mutant)) this.#options.onVerdict(mutant, verdict)
  }

  #take(line: Line): void {
    this.#since = performance.now()
    switch (line.kind) {
      case 'loaded':
        for (const mutant of line.mutants) this.loaded.add(mutant)
        break
      case 'reached':
        for (const mutant of line.mutants) this.reached.add(mutant)
        break
      case 'trying':
        this.#trying = line
        this.#passed = {
          test: line.test,
          mutants: [...(this.#passed?.test === line.test ? this.#passed.mutants : []), line.mutant],
        }
        break
      case 'killed':
        this.#trying = undefined
        this.#settle(line.mutant, { verdict: line.late ? 'timeout' : 'killed', by: line.by })
        break
      case 'done':
        this.#trying = undefined
        this.#done.add(line.test)
        break
      case 'ended':
        this.#ended.add(line.file)
        break
      case 'broken':
        this.#broken = line.why
    }
  }
}

function readOn(file: number): string {
  const pieces: Buffer[] = []
  for (;;) {
    const piece = Buffer.alloc(1_000_000)
    const length = readSync(file, piece)
    if (length === 0) return Buffer.concat(pieces).toString()
    pieces.push(piece.subarray(0, length))
  }
}
