import type { Failure } from './checks/failure.ts'

/** One step of a run: what was done, what came of it, and what was expected besides. */
export interface StepResult {
  /** Such as `say: Hello` and `approve: book_package`. */
  readonly did: string
  readonly state: string
  readonly text: string
  readonly parts: readonly string[]
  readonly tools: readonly { readonly name: string; readonly args: unknown; readonly outcome?: string | undefined }[]
  readonly latencyMs: number
  readonly failures: readonly Failure[]
}

/** One run of an evaluation. */
export interface RunResult {
  readonly passed: boolean
  readonly steps: readonly StepResult[]
  /** What was expected of the whole conversation. */
  readonly failures: readonly Failure[]
  /** Why it could not go on. */
  readonly error?: string | undefined
  /** What the agent has logged as a warning or an error. */
  readonly problems: readonly string[]
  readonly latencyMs: number
  readonly tokens: number
  readonly cost: number
  /** What the model, or a function, said in one go. */
  readonly modelSteps: number
}

/** An evaluation with all of its runs, by one variant of the agent. */
export interface CaseResult {
  readonly name: string
  readonly file?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** The session that it was made from, when, and whose words it has. */
  readonly from?: { readonly session: string; readonly at: string; readonly principal: string } | undefined
  /** Names and texts were erased with that session; figures are left. */
  readonly isErased?: boolean | undefined
  readonly variant: string
  readonly passed: boolean
  /** The share of runs that passed, and the share that has to. */
  readonly passRate: number
  readonly required: number
  readonly runs: readonly RunResult[]
}

/** What came of a set of evaluations. */
export interface EvaluationReport {
  readonly id: string
  readonly agent: { readonly id: string; readonly name: string }
  readonly startedAt: number
  /** How long it took, by the machine's clock. */
  readonly ms: number
  /** The variants that were compared; one when there was nothing to compare. */
  readonly variants: readonly string[]
  readonly passed: boolean
  readonly cases: readonly CaseResult[]
}

/** What one variant did in all of its runs, for comparisons. */
export interface Totals {
  readonly cases: number
  readonly passed: number
  readonly runs: number
  readonly passedRuns: number
  /** Of a run: half took no longer. */
  readonly latencyMs: number
  readonly tokens: number
  readonly cost: number
}

/** Sums over cases; those of one variant when it is named. */
export function totalsOf(cases: readonly CaseResult[], variant?: string): Totals {
  const own = cases.filter((one) => variant === undefined || one.variant === variant)
  const runs = own.flatMap((one) => one.runs)
  return {
    cases: own.length,
    passed: own.filter(({ passed }) => passed).length,
    runs: runs.length,
    passedRuns: runs.filter(({ passed }) => passed).length,
    latencyMs: median(runs.map(({ latencyMs }) => latencyMs)),
    tokens: runs.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: runs.reduce((sum, { cost }) => sum + cost, 0),
  }
}

/** Everything that a run did not do as expected, in words, with the step where it was expected. */
export function failuresOf({ steps, failures, error, problems }: RunResult): string[] {
  const inSteps = steps.flatMap(({ did, failures: own }, index) =>
    own.map(({ message }) => `${index + 1}. ${did} – ${message}`),
  )
  const inAll = failures.map(({ message }) => `The conversation – ${message}`)
  const all = [...inSteps, ...inAll, ...(error === undefined ? [] : [error])]
  // What the agent has logged may be why.
  return all.length === 0 ? [] : [...all, ...problems.map((problem) => `Logged: ${problem}`)]
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
