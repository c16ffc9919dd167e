/** A piece of the text of formatString: what stands there, a path, or a call of a function. */
export type Expression =
  | string
  | number
  | boolean
  | { readonly path: string }
  | { readonly call: string; readonly args: Readonly<Record<string, Expression>> }

const maxDepth = 10
const pathCharacters = /[A-Za-z0-9/._-]*/y
const nameCharacters = /[A-Za-z0-9_]*/y
const numberLiteral = /^\d+\.?\d*$/
const space = /\s*/y

/** The pieces of a text with expressions; throws a SyntaxError when one of them cannot be read. */
export function parseTemplate(text: string): Expression[] {
  if (!text.includes('${')) return [text]
  const reader = new Reader(text)
  const pieces: Expression[] = []
  for (let literal = reader.literal(); !reader.isAtEnd; literal = reader.literal()) {
    pieces.push(literal, reader.interpolation(0))
  }
  pieces.push(reader.rest)
  return pieces.filter((piece) => piece !== '')
}

/** What is wrong with a text of formatString; undefined when nothing is. */
export function expressionProblem(text: string): string | undefined {
  try {
    parseTemplate(text)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
}

/** The functions that a text calls, and how deep each stands in others. */
export function expressionCalls(text: string): { readonly name: string; readonly depth: number }[] {
  const callsIn = (piece: Expression, depth: number): { name: string; depth: number }[] => {
    if (typeof piece !== 'object' || !('call' in piece)) return []
    return [{ name: piece.call, depth }, ...Object.values(piece.args).flatMap((arg) => callsIn(arg, depth + 1))]
  }
  return parseTemplate(text).flatMap((piece) => callsIn(piece, 1))
}

class Reader {
  readonly #text: string
  #at = 0
  /** What was read as literal text since the last expression. */
  rest = ''

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** The text up to the next expression, which the reader then stands at. */
  literal(): string {
    let found = ''
    while (!this.isAtEnd) {
      const next = this.#text.indexOf('${', this.#at)
      const end = next === -1 ? this.#text.length : next
      found += this.#text.slice(this.#at, end)
      this.#at = end
      if (next === -1 || !found.endsWith('\\')) break
      found = `${found.slice(0, -1)}\${`
      this.#at += 2
    }
    if (this.isAtEnd) this.rest = found
    return found
  }

  interpolation(depth: number): Expression {
    if (depth > maxDepth) throw new SyntaxError('it is nested too deep')
    this.#at += 2
    this.#skip(space)
    const value = this.#peek() === '}' ? '' : this.#expression(depth)
    this.#skip(space)
    if (!this.#take('}')) {
      if (this.isAtEnd) throw new SyntaxError("a '}' is missing at its end")
      throw new SyntaxError(`'${this.#peek()}' stands where '}' should`)
    }
    return value
  }

  #expression(depth: number): Expression {
    if (depth > maxDepth) throw new SyntaxError('it is nested too deep')
    if (this.#text.startsWith('${', this.#at)) return this.interpolation(depth + 1)
    const first = this.#peek()
    if (first === "'" || first === '"') return this.#string(first)
    const token = this.#skip(pathCharacters)
    if (/^\d/.test(token)) return numberOf(token)
    this.#skip(space)
    if (this.#take('(')) return this.#call(token, depth)
    if (token === 'true' || token === 'false') return token === 'true'
    if (token === '' && !this.isAtEnd) throw new SyntaxError(`'${this.#peek()}' stands where a path should`)
    return token === '' || token === 'null' ? '' : { path: token }
  }

  #call(name: string, depth: number): Expression {
    const args: Record<string, Expression> = {}
    this.#skip(space)
    while (!this.#take(')')) {
      if (this.isAtEnd) throw new SyntaxError(`a ')' is missing after the arguments of '${name}'`)
      const key = this.#skip(nameCharacters)
      this.#skip(space)
      if (key === '' || !this.#take(':')) throw new SyntaxError(`the arguments of '${name}' must have names`)
      this.#skip(space)
      const value = this.#expression(depth + 1)
      if (key !== '__proto__') args[key] = value
      this.#skip(space)
      this.#take(',')
      this.#skip(space)
    }
    return { call: name, args }
  }

  #string(quote: string): string {
    let found = ''
    this.#at++
    while (!this.isAtEnd) {
      const character = this.#next()
      if (character === quote) return found
      found += character === '\\' ? unescaped(this.#next()) : character
    }
    throw new SyntaxError(`a ${quote} is missing at its end`)
  }

  #peek(): string {
    return this.#text.charAt(this.#at)
  }

  #next(): string {
    return this.#text.charAt(this.#at++)
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at++
    return true
  }

  /** Reads what a sticky pattern matches, which may be nothing. */
  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [found = ''] = pattern.exec(this.#text) ?? []
    this.#at += found.length
    return found
  }
}

function numberOf(token: string): number {
  if (!numberLiteral.test(token)) throw new SyntaxError(`'${token}' is neither a number nor a path`)
  return Number(token)
}

function unescaped(character: string): string {
  return { n: '\n', t: '\t', r: '\r' }[character] ?? character
}
