import { UnsupportedPattern, type Assertion, type PatternNode } from './parse-pattern.ts'

/** A state of the machine that a pattern becomes; the places that follow are numbers of other states. */
export type State =
  | { readonly kind: 'character'; readonly fits: (character: string) => boolean; next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; next: number }
  | { readonly kind: 'split'; next: number; other: number }
  | { readonly kind: 'match' }

const maxStates = 5_000

/** Makes a machine of a pattern: its first state is the first one. Repetitions that are counted are written out. */
export function compilePattern(pattern: PatternNode, isUnicode: boolean): readonly State[] {
  const compiler = new Compiler(isUnicode)
  compiler.add(pattern)
  compiler.push({ kind: 'match' })
  return compiler.states
}

class Compiler {
  readonly states: State[] = []
  readonly #isUnicode: boolean
  readonly #fits = new Map<string, (character: string) => boolean>()

  constructor(isUnicode: boolean) {
    this.#isUnicode = isUnicode
  }

  push(state: State): void {
    if (this.states.length >= maxStates) throw new UnsupportedPattern('repeats too much')
    this.states.push(state)
  }

  /** Adds the states of a node; it goes on with the state that is added next. */
  add(node: PatternNode): void {
    switch (node.kind) {
      case 'character':
        return this.push({ kind: 'character', fits: this.#fit(node.source), next: this.states.length + 1 })
      case 'assertion':
        return this.push({ kind: 'assertion', assertion: node.assertion, next: this.states.length + 1 })
      case 'sequence':
        return node.nodes.forEach((inner) => this.add(inner))
      case 'choice':
        return this.#choice(node.nodes)
      case 'repetition':
        return this.#repetition(node)
    }
  }

  #choice([first, ...others]: readonly PatternNode[]): void {
    if (first === undefined) return
    if (others.length === 0) return this.add(first)
    const split = this.#split()
    this.add(first)
    const jump = this.#split()
    split.other = this.states.length
    this.#choice(others)
    jump.next = this.states.length
    jump.other = this.states.length
  }

  #repetition({ node, min, max }: Extract<PatternNode, { kind: 'repetition' }>): void {
    for (let count = 0; count < min; count++) this.#once(node)
    if (max === Infinity) {
      const start = this.states.length
      const split = this.#split()
      this.#once(node)
      const back = this.#split()
      back.next = start
      back.other = start
      split.other = this.states.length
      return
    }
    const exits: { other: number }[] = []
    for (let count = min; count < max; count++) {
      exits.push(this.#split())
      this.#once(node)
    }
    for (const exit of exits) exit.other = this.states.length
  }

  /** What has no states is not repeated for ever: `(?:){9999999}`. */
  #once(node: PatternNode): void {
    const before = this.states.length
    this.add(node)
    if (this.states.length === before) this.#split().other = this.states.length
  }

  #split(): Extract<State, { kind: 'split' }> {
    const split: State = { kind: 'split', next: this.states.length + 1, other: this.states.length + 1 }
    this.push(split)
    return split
  }

  /** Whether a character is one of those that are meant. JavaScript says so itself, of one character at a time. */
  #fit(source: string): (character: string) => boolean {
    const known = this.#fits.get(source)
    if (known !== undefined) return known
    const fits = /^[^\\[\].*+?{}()|/^$]$/u.test(source)
      ? (character: string) => character === source
      : tester(new RegExp(`^(?:${source === '/' ? '\\/' : source})$`, this.#isUnicode ? 'u' : ''))
    this.#fits.set(source, fits)
    return fits
  }
}

function tester(expression: RegExp): (character: string) => boolean {
  return (character) => expression.test(character)
}
