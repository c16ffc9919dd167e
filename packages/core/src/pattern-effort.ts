/** How much work a regular expression can make: it multiplies with each choice that it leaves open. */
export interface PatternEffort {
  /** In how many ways a text can be tried, apart from repetitions without an end. */
  readonly ways: number
  /** How many repetitions have no end. */
  readonly endless: number
}

const longestPattern = 500
const mostWays = 2 ** 20

/**
 * The effort of a pattern that is plainly harmless: choices, groups and repetitions of single characters. Undefined for
 * one that looks around or back, or that repeats what repeats or chooses: its effort can grow with every character of a
 * text.
 */
export function patternEffort(pattern: string): PatternEffort | undefined {
  if (pattern.length > longestPattern) return undefined
  const reader = new PatternReader(pattern)
  const effort = reader.alternatives()
  return effort !== undefined && reader.isAtEnd && effort.ways <= mostWays ? effort : undefined
}

const mostSteps = 2 ** 26

/** True for a pattern that is done quickly with any text that is not longer, wherever in it a match may begin. */
export function isQuickPattern(pattern: string, longestText: number): boolean {
  const effort = patternEffort(pattern)
  return effort !== undefined && effort.ways * longestText ** (effort.endless + 1) <= mostSteps
}

interface Repetition {
  readonly least: number
  readonly most: number
}

class PatternReader {
  readonly #pattern: string
  #place = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  get isAtEnd(): boolean {
    return this.#place >= this.#pattern.length
  }

  alternatives(): PatternEffort | undefined {
    let ways = 0
    let endless = 0
    do {
      const one = this.#sequence()
      if (one === undefined) return undefined
      ways += one.ways
      endless = Math.max(endless, one.endless)
    } while (this.#take('|'))
    return { ways, endless }
  }

  #sequence(): PatternEffort | undefined {
    let ways = 1
    let endless = 0
    while (!this.isAtEnd && !this.#isNext('|') && !this.#isNext(')')) {
      const element = this.#element()
      if (element === undefined || ways > mostWays) return undefined
      ways *= element.ways
      endless += element.endless
    }
    return { ways, endless }
  }

  #element(): PatternEffort | undefined {
    const atom = this.#isNext('(') ? this.#group() : this.#character()
    const repetition = this.#repetition()
    if (atom === undefined || repetition === undefined) return undefined
    const { least, most } = repetition
    if (least === 1 && most === 1) return atom
    if (most === Infinity) return atom.ways > 1 || atom.endless > 0 ? undefined : { ways: 1, endless: 1 }
    if (atom.endless > 0) return undefined
    // Each number of repetitions is a way of its own.
    return { ways: (most - least + 1) * atom.ways ** most, endless: 0 }
  }

  #group(): PatternEffort | undefined {
    this.#place++
    if (this.#take('?') && !this.#take(':')) {
      const name = /^<[A-Za-z]\w*>/.exec(this.#rest)?.[0]
      if (name === undefined) return undefined
      this.#place += name.length
    }
    const inside = this.alternatives()
    return this.#take(')') ? inside : undefined
  }

  /** One character, of one or of a class. */
  #character(): PatternEffort | undefined {
    const found =
      /^(?:\\(?:u\{[\dA-Fa-f]+\}|[pP]\{\w+(?:=\w+)?\}|[^1-9kuxpPc])|\[\^?(?:\\.|[^\]\\])*\]|[^\\[\](){}*+?|])/su
        .exec(this.#rest)
        ?.at(0)
    if (found === undefined) return undefined
    this.#place += found.length
    return { ways: 1, endless: 0 }
  }

  #repetition(): Repetition | undefined {
    const found = /^(?:[*+?]|\{(\d{1,4})(,(\d{0,4}))?\})\??/.exec(this.#rest)
    if (found === null) return { least: 1, most: 1 }
    this.#place += found[0].length
    const [sign = ''] = found[0]
    if (sign === '?') return { least: 0, most: 1 }
    if (sign !== '{') return { least: sign === '*' ? 0 : 1, most: Infinity }
    const least = Number(found[1])
    const most = found[2] === undefined ? least : found[3] === '' ? Infinity : Number(found[3])
    return most < least ? undefined : { least, most }
  }

  get #rest(): string {
    return this.#pattern.slice(this.#place)
  }

  #isNext(sign: string): boolean {
    return this.#pattern[this.#place] === sign
  }

  #take(sign: string): boolean {
    if (!this.#isNext(sign)) return false
    this.#place++
    return true
  }
}
