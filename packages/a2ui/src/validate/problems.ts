/** Something that is wrong with what was given as A2UI, in words that a model can act on. */
export interface A2uiProblem {
  /** Where: a JSON Pointer into what was given. */
  readonly path: string
  readonly problem: string
  readonly remedy: string
}

export function problemText({ path, problem, remedy }: A2uiProblem): string {
  return `${path === '' ? '' : `${path}: `}${problem} ${remedy}`
}

// Who got everything wrong needs a start, not a list of everything.
const maxProblems = 50

export class Problems {
  readonly list: A2uiProblem[] = []

  add(path: string, problem: string, remedy: string): void {
    if (!this.isFull) this.list.push({ path, problem, remedy })
  }

  /** True when looking further would tell nothing more. */
  get isFull(): boolean {
    return this.list.length >= maxProblems
  }
}
