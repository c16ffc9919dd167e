import { BeachError } from '@cool-ai/beach-core'
import { JsonBuilder, type JsonWatcher } from './json-builder.ts'
import { JsonString } from './json-string.ts'

/** How much JSON one call may be. */
export interface JsonLimits {
  /** Levels of arrays and objects. */
  readonly depth: number
  /** UTF-16 code units in all. */
  readonly length: number
}

/** What a reader accepts unless it is told otherwise. */
export const jsonLimits: JsonLimits = { depth: 100, length: 1_048_576 }

type ReaderState =
  | 'value'
  | 'first element'
  | 'first key'
  | 'key'
  | 'colon'
  | 'after value'
  | 'end'
  | 'in key'
  | 'in string'
  | 'in number'
  | 'in word'

const words: Readonly<Record<string, { readonly text: string; readonly value: boolean | null }>> = {
  t: { text: 'true', value: true },
  f: { text: 'false', value: false },
  n: { text: 'null', value: null },
}
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Reads one JSON value from chunks that may end anywhere. Every unit is looked at once, so the cost is linear; what it
 * accepts, refuses and builds is what `JSON.parse` accepts, refuses and builds, within the limits.
 */
export class JsonReader {
  readonly #limits: JsonLimits
  readonly #builder: JsonBuilder
  readonly #string = new JsonString()
  #place: ReaderState = 'value'
  #length = 0
  #number = ''
  #word = ''
  #wordRead = 0

  constructor(limits: JsonLimits = jsonLimits, watcher?: JsonWatcher) {
    this.#limits = limits
    this.#builder = new JsonBuilder(limits.depth, watcher)
  }

  /** Reads on; throws at the first unit that cannot stand where it stands, and must not be used after that. */
  push(chunk: string): void {
    if (this.#length + chunk.length > this.#limits.length) throw tooLong(this.#limits.length)
    let at = 0
    while (at < chunk.length) at = this.#read(chunk, at)
    this.#length += chunk.length
  }

  end(): unknown {
    // Only a number does not say itself where it ends; one inside something else is cut off with it.
    if (this.#place === 'in number' && this.#builder.depth === 0) this.#endNumber(0)
    if (this.#place !== 'end') throw truncated(this.#length)
    return this.#builder.root
  }

  /** Reads a token, or as much of it as there is, and says where it stopped. */
  #read(chunk: string, at: number): number {
    switch (this.#place) {
      case 'in string':
      case 'in key':
        return this.#readString(chunk, at)
      case 'in number':
        return this.#readNumber(chunk, at)
      case 'in word':
        return this.#readWord(chunk, at)
      default:
        return this.#readStructure(chunk, at)
    }
  }

  #readStructure(chunk: string, at: number): number {
    const unit = chunk.charAt(at)
    if (unit === ' ' || unit === '\n' || unit === '\r' || unit === '\t') return at + 1
    switch (this.#place) {
      case 'first element':
        if (unit === ']') return this.#close(at)
        return this.#beginValue(chunk, unit, at)
      case 'value':
        return this.#beginValue(chunk, unit, at)
      case 'first key':
        if (unit === '}') return this.#close(at)
        return this.#beginKey(chunk, unit, at)
      case 'key':
        return this.#beginKey(chunk, unit, at)
      case 'colon':
        return unit === ':' ? this.#go('value', at) : this.#refuse(chunk, at)
      case 'after value':
        return this.#readAfterValue(chunk, unit, at)
      default:
        return this.#refuse(chunk, at)
    }
  }

  #beginValue(chunk: string, unit: string, at: number): number {
    if (unit === '"') {
      this.#string.begin(this.#builder.sink())
      return this.#go('in string', at)
    }
    if (unit === '{') {
      this.#builder.openObject()
      return this.#go('first key', at)
    }
    if (unit === '[') {
      this.#builder.openArray()
      return this.#go('first element', at)
    }
    if (unit === '-' || (unit >= '0' && unit <= '9')) {
      this.#number = unit
      return this.#go('in number', at)
    }
    if (!Object.hasOwn(words, unit)) return this.#refuse(chunk, at)
    this.#word = unit
    this.#wordRead = 1
    return this.#go('in word', at)
  }

  #beginKey(chunk: string, unit: string, at: number): number {
    if (unit !== '"') return this.#refuse(chunk, at)
    this.#string.begin()
    return this.#go('in key', at)
  }

  #readAfterValue(chunk: string, unit: string, at: number): number {
    const { isInArray } = this.#builder
    if (unit === ',') return this.#go(isInArray ? 'value' : 'key', at)
    return unit === (isInArray ? ']' : '}') ? this.#close(at) : this.#refuse(chunk, at)
  }

  #readString(chunk: string, from: number): number {
    const at = this.#string.read(chunk, from)
    if (this.#string.status === 'broken') return this.#refuse(chunk, at)
    if (this.#string.status === 'open') return at
    const text = this.#string.take()
    if (this.#place === 'in string') this.#add(text)
    else {
      this.#builder.key(text)
      this.#place = 'colon'
    }
    return at
  }

  #readNumber(chunk: string, from: number): number {
    let at = from
    while (at < chunk.length && isNumeric(chunk.charCodeAt(at))) at++
    this.#number += chunk.slice(from, at)
    if (at < chunk.length) this.#endNumber(at)
    return at
  }

  #endNumber(at: number): void {
    const text = this.#number
    if (!numberPattern.test(text)) {
      const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text
      throw badJson(`'${shown}' is not a number, at position ${this.#length + at - text.length}.`)
    }
    this.#add(Number(text))
  }

  #readWord(chunk: string, from: number): number {
    const word = words[this.#word]
    if (word === undefined) return this.#refuse(chunk, from)
    let at = from
    while (at < chunk.length && this.#wordRead < word.text.length) {
      if (chunk.charAt(at) !== word.text.charAt(this.#wordRead)) return this.#refuse(chunk, at)
      this.#wordRead++
      at++
    }
    if (this.#wordRead === word.text.length) this.#add(word.value)
    return at
  }

  #add(value: unknown): void {
    this.#builder.add(value)
    this.#place = this.#builder.depth === 0 ? 'end' : 'after value'
  }

  #close(at: number): number {
    this.#builder.close()
    return this.#go(this.#builder.depth === 0 ? 'end' : 'after value', at)
  }

  #go(place: ReaderState, at: number): number {
    this.#place = place
    return at + 1
  }

  #refuse(chunk: string, at: number): never {
    const unit = JSON.stringify(chunk.charAt(at))
    throw badJson(`${unit} is not allowed at position ${this.#length + at}.`)
  }
}

function isNumeric(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) || unit === 0x2e || unit === 0x65 || unit === 0x45 || unit === 0x2b || unit === 0x2d
  )
}

function badJson(problem: string): BeachError {
  return new BeachError('BAD_JSON', `This is not JSON: ${problem}`)
}

function truncated(position: number): BeachError {
  const message = `The JSON ends at position ${position} before it is complete. Say it again in full, or say less.`
  return new BeachError('BAD_JSON', message, { details: { truncated: true } })
}

function tooLong(limit: number): BeachError {
  return new BeachError('TOO_LARGE', `The JSON is longer than ${limit} characters: say less at once.`)
}
