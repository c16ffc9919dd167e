import { appendFileSync, readFileSync } from 'node:fs'

/** What the process that runs the tests tells, line by line: it may come to its end at any of them. */
export type Line =
  /** A test passes without a mutant, and reaches these. */
  | { readonly kind: 'reached'; readonly test: string; readonly mutants: readonly number[] }
  /** These are reached while modules are loaded. */
  | { readonly kind: 'loaded'; readonly mutants: readonly number[] }
  | {
      readonly kind: 'trying'
      readonly mutant: number
      readonly test: string
      readonly name: string
      readonly limitMs: number
    }
  | { readonly kind: 'killed'; readonly mutant: number; readonly by: string; readonly late: boolean }
  /** All that the test reaches was tried. */
  | { readonly kind: 'done'; readonly test: string }
  /** All tests of a file are done. */
  | { readonly kind: 'ended'; readonly file: string }
  /** The test does not pass without a mutant, or not any more: only a new process can go on. */
  | { readonly kind: 'broken'; readonly why: string }

export interface Passed {
  readonly test: string
  readonly mutants: readonly number[]
}

/** What that process is to do. */
export interface Plan {
  readonly journal: string
  /** The tests that are done with. */
  readonly done: readonly string[]
  /** The mutants that some test has reached. */
  readonly reached: readonly number[]
  /** Those that the next test has tried before the process was started again. */
  readonly passed?: Passed
  /** The mutants that are to be tried. */
  readonly mutants: readonly number[]
}

export function write(journal: string, line: Line): void {
  appendFileSync(journal, `${JSON.stringify(line)}\n`)
}

export function readPlan(path: string): Plan {
  return JSON.parse(readFileSync(path, 'utf8')) as Plan
}
