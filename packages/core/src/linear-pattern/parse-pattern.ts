/** What stands between two characters. */
export type Assertion = 'start' | 'end' | 'boundary' | 'notBoundary'

/** A pattern as a tree. A character is kept as it was written: what it stands for is JavaScript's to say. */
export type PatternNode =
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repetition'; readonly node: PatternNode; readonly min: number; readonly max: number }

/** A pattern that has no linear form, with the reason as the end of a sentence. */
export class UnsupportedPattern extends Error {}

const assertions: Readonly<Record<string, Assertion>> = {
  '^': 'start',
  $: 'end',
  '\\b': 'boundary',
  '\\B': 'notBoundary',
}
const pair = String.raw`\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}`
const escaped = String.raw`\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[^])`
/** Without the flag `u`, JavaScript reads these as the letter and what follows it. */
const unicodeEscaped = String.raw`\\(?:u\{[\da-fA-F]+\}|[pP]\{[^}]*\})`
const oneOf = String.raw`\[\^?(?:\\[^]|[^\]\\])*\]`
/** One character of a pattern, by each of the two syntaxes. Each alternative begins differently: nothing is tried twice. */
const atoms = {
  unicode: new RegExp(`(?:${pair}|${unicodeEscaped}|${escaped}|${oneOf}|[^])`, 'uy'),
  legacy: new RegExp(`(?:${escaped}|${oneOf}|[^])`, 'y'),
}
const quantifier = /(?:([*+?])|\{(\d+)(,(\d*))?\})\??/y
const opening = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y
const maxDepth = 200

/** Reads a pattern that JavaScript has found to be valid. Throws for what cannot be matched in linear time. */
export function parsePattern(source: string, isUnicode: boolean): PatternNode {
  return new Parser(source, isUnicode).choice()
}

class Parser {
  readonly #source: string
  readonly #atom: RegExp
  #at = 0
  #depth = 0

  constructor(source: string, isUnicode: boolean) {
    this.#source = source
    this.#atom = isUnicode ? atoms.unicode : atoms.legacy
  }

  choice(): PatternNode {
    if (this.#depth++ > maxDepth) throw new UnsupportedPattern('is nested too deep')
    const nodes = [this.#sequence()]
    while (this.#source[this.#at] === '|') {
      this.#at++
      nodes.push(this.#sequence())
    }
    this.#depth--
    return { kind: 'choice', nodes }
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      nodes.push(this.#repeated(this.#element()))
    }
    return { kind: 'sequence', nodes }
  }

  #element(): PatternNode {
    if (this.#source[this.#at] === '(') return this.#group()
    const source = this.#read(this.#atom)?.[0] ?? ''
    if (Object.hasOwn(assertions, source)) return { kind: 'assertion', assertion: assertions[source] ?? 'start' }
    if (/^\\[1-9k]/.test(source)) throw new UnsupportedPattern('refers back to a group')
    return { kind: 'character', source }
  }

  #group(): PatternNode {
    if (this.#read(opening) === undefined) throw new UnsupportedPattern('looks ahead or back, or changes flags')
    const inside = this.choice()
    this.#at++
    return inside
  }

  #repeated(node: PatternNode): PatternNode {
    const found = this.#read(quantifier)
    if (found === undefined) return node
    const [, sign, least, more, max] = found
    if (sign !== undefined)
      return { kind: 'repetition', node, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity }
    const min = Number(least)
    return { kind: 'repetition', node, min, max: more === undefined ? min : max === '' ? Infinity : Number(max) }
  }

  #read(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#source)
    if (found === null) return undefined
    this.#at += found[0].length
    return found
  }
}
