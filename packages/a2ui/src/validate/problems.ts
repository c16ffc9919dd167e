/** Something that is wrong with what was given as A2UI, in words that a model can act on. */
export interface A2uiProblem {
  /** Where: a JSON Pointer into what was given. */
  readonly path: string
  readonly problem: string
  readonly remedy: string
}

/** A problem of a surface as one sentence. */
export function problemText({ path, problem, remedy }: A2uiProblem): string {
  return `${path === '' ? '' : `${path}: `}${problem} ${remedy}`
}

// Who got everything wrong needs a start, not a list of everything.
const maxProblems = 50

/** Schemas of catalogs may try several forms, each of which has several forms: there is an end to that. */
const maxAttempts = 20_000

export class Problems {
  readonly list: A2uiProblem[] = []
  readonly #attempts: { left: number }

  constructor(attempts: { left: number } = { left: maxAttempts }) {
    this.#attempts = attempts
  }

  /** What is wrong by one of several rules, of which another may fit; undefined when too many have been tried. */
  attempt(check: (problems: Problems) => void): readonly A2uiProblem[] | undefined {
    if (this.#attempts.left-- <= 0) return undefined
    const problems = new Problems(this.#attempts)
    check(problems)
    return problems.list
  }

  add(path: string, problem: string, remedy: string): void {
    if (!this.isFull) this.list.push({ path, problem, remedy })
  }

  /** True when looking further would tell nothing more. */
  get isFull(): boolean {
    return this.list.length >= maxProblems
  }
}
