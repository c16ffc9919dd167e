import { z } from 'zod'
import { defined } from '@cool-ai/beach-core/runtime'
import { articleNumber, isSmall, numberOf, slice, wordsOf, type Word } from './words.ts'

/** What was named in a message, by name. */
export type Entities = Readonly<Record<string, unknown>>

/** A value that is needed and was not said. */
export interface MissingEntity {
  readonly field: string
  readonly question: string
  readonly options?: readonly string[]
}

export interface Extracted {
  readonly entities: Entities
  /** What the schema requires and the user has not said, in its order. */
  readonly missing: readonly MissingEntity[]
}

/**
 * Finds in a text what a schema asks for. Nothing is guessed: what it gives was said. `ignored` are words that are
 * about what is wanted, not about its values, such as "order".
 */
export function extractEntities(schema: z.ZodType, text: string, ignored: readonly string[] = []): Extracted {
  const field = entityField(schema)
  const search = new Search(
    text,
    wordsOf(text),
    new Set(ignored.flatMap((word) => wordsOf(word).map(({ stem }) => stem))),
  )
  const entities = search.object(field)
  return { entities, missing: missingIn(field, entities) }
}

/** Finds one field in an answer to the question for it: what cannot be told apart is taken as a whole. */
export function extractAnswer(schema: z.ZodType, name: string, text: string): unknown {
  const field = entityField(schema).properties?.[name]
  if (field === undefined) return undefined
  const found = new Search(text, wordsOf(text), new Set()).value({ ...field, ...(field.after && { rest: true }) })
  if (found !== undefined) return found
  return field.type === 'string' && field.enum === undefined && field.pattern === undefined ? text.trim() : undefined
}

export function missingEntities(schema: z.ZodType, entities: Entities): readonly MissingEntity[] {
  return missingIn(entityField(schema), entities)
}

function missingIn({ properties = {}, required = [] }: EntityField, entities: Entities): MissingEntity[] {
  return required.flatMap((name) => {
    const field = properties[name] ?? {}
    if (entities[name] !== undefined) return []
    const options = field.options ?? (field.enum ?? field.items?.enum)?.map(String)
    const label = field.title ?? name.replaceAll(/[_-]|(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
    return [defined({ field: name, question: field.question ?? `Which ${label}?`, options })]
  })
}

/** Which fields are looked for first: the surest ones. */
const order = ['enum', 'boolean', 'pattern', 'after', 'number', 'array', 'object', 'rest'] as const
type FieldKind = (typeof order)[number]

function kindOf(field: EntityField): FieldKind | undefined {
  if (field.enum !== undefined) return 'enum'
  if (field.type === 'boolean') return 'boolean'
  if (field.type === 'number' || field.type === 'integer') return 'number'
  if (field.type === 'array') return 'array'
  if (field.type === 'object') return 'object'
  if (field.type !== 'string') return undefined
  if (field.pattern !== undefined) return 'pattern'
  if (field.after !== undefined) return 'after'
  return field.rest === true ? 'rest' : undefined
}

/** Words of a text, and which of them have been understood. */
class Search {
  readonly #text: string
  readonly #words: readonly Word[]
  readonly #ignored: ReadonlySet<string>
  readonly #used = new Set<Word>()

  constructor(text: string, words: readonly Word[], ignored: ReadonlySet<string>) {
    this.#text = text
    this.#words = words
    this.#ignored = ignored
  }

  object({ properties = {} }: EntityField): Entities {
    const found: Record<string, unknown> = {}
    for (const kind of order) {
      for (const [name, field] of Object.entries(properties)) {
        const value = kindOf(field) === kind ? this.value(field) : undefined
        if (value !== undefined) found[name] = value
      }
    }
    return found
  }

  value(field: EntityField): unknown {
    switch (kindOf(field)) {
      case 'enum':
        return this.#choice(field, field.enum ?? [])
      case 'boolean':
        return this.#choice(field, [true, false], false)
      case 'number':
        return this.#number(field)
      case 'pattern':
        return this.#pattern(field.pattern ?? '')
      case 'after':
        return this.#after(field.after ?? []) ?? (field.rest === true ? this.#rest() : undefined)
      case 'rest':
        return this.#rest()
      case 'array':
        return this.#list(field.items ?? {})
      case 'object':
        return nonEmpty(this.object(field))
      case undefined:
        return undefined
    }
  }

  /** The value one of whose names was said; of several names the longest. */
  #choice({ words = {} }: EntityField, values: readonly unknown[], byValue = true): unknown {
    const names = values.flatMap((value) => {
      const own = byValue ? [String(value).replaceAll(/[_-]/g, ' ')] : []
      return [...own, ...(words[String(value)] ?? [])].map((name) => ({ value, name: wordsOf(name) }))
    })
    for (const { value, name } of names.toSorted((one, other) => other.name.length - one.name.length)) {
      if (this.#take(name)) return value
    }
    return undefined
  }

  #take(name: readonly Word[]): boolean {
    if (name.length === 0) return false
    for (let at = 0; at + name.length <= this.#words.length; at++) {
      const here = this.#words.slice(at, at + name.length)
      if (!here.every((word, index) => word.stem === name[index]?.stem && !this.#used.has(word))) continue
      this.#use(here)
      return true
    }
    return false
  }

  #number({ type, minimum = -Infinity, maximum = Infinity }: EntityField): number | undefined {
    for (const read of [numberOf, articleNumber]) {
      for (const word of this.#words) {
        const number = this.#used.has(word) ? undefined : read(word)
        if (number === undefined || number < minimum || number > maximum) continue
        if (type === 'integer' && !Number.isInteger(number)) continue
        this.#use([word])
        return number
      }
    }
    return undefined
  }

  #pattern(pattern: string): string | undefined {
    const expression = new RegExp(pattern, 'iu')
    const pieces = this.#text.split(/[\s,;]+/).map((piece) => piece.replace(/[.!?]+$/, ''))
    const found = pieces.map((piece) => expression.exec(piece)?.[0]).find((match) => match !== undefined)
    if (found === undefined) return undefined
    const at = this.#text.indexOf(found)
    this.#use(this.#words.filter(({ start, end }) => start < at + found.length && end > at))
    return found
  }

  /** What follows one of these words, up to where something else begins. */
  #after(words: readonly string[]): string | undefined {
    const starts = new Set(words.map((word) => wordsOf(word)[0]?.word))
    for (const [at, { word }] of this.#words.entries()) {
      if (!starts.has(word)) continue
      const from = at + 1
      const end = this.#words.findIndex((next, index) => index >= from && (this.#used.has(next) || ends(next)))
      const run = this.#words.slice(from, end === -1 ? undefined : end)
      const [first] = run
      const said = first !== undefined && ['the', 'my', 'your'].includes(first.word) ? run.slice(1) : run
      if (said.length === 0) continue
      this.#use([...this.#words.slice(at, from), ...run])
      return slice(this.#text, said)
    }
    return undefined
  }

  /** The longest run of words that nothing has understood, and that say something. */
  #rest(): string | undefined {
    const runs: Word[][] = [[]]
    for (const word of this.#words) {
      const last = runs.at(-1) ?? []
      if (this.#used.has(word) || this.#says(word) === undefined || word.apart) runs.push([])
      if (!this.#used.has(word) && this.#says(word) !== undefined) (runs.at(-1) ?? last).push(word)
    }
    const [longest = []] = runs.toSorted((one, other) => other.length - one.length)
    this.#use(longest)
    return longest.length === 0 ? undefined : slice(this.#text, longest)
  }

  #says(word: Word): Word | undefined {
    const silent = isSmall(word) || this.#ignored.has(word.stem) || numberOf(word) !== undefined
    return silent ? undefined : word
  }

  /** One value for each part of an enumeration; a part that is no value by itself says more about the one before. */
  #list(items: EntityField): unknown[] | undefined {
    const kind = kindOf(items)
    if (kind === 'enum') return nonEmpty([...this.#all(items)])
    const found: unknown[] = []
    for (const words of this.#segments()) {
      const search = new Search(this.#text, words, this.#ignored)
      const value = search.value(items)
      for (const word of search.#used) this.#used.add(word)
      // With a number that fits nowhere it is not known how many are meant.
      if (value === undefined || words.some((word) => numberOf(word) !== undefined && !search.#used.has(word))) continue
      const last = found.at(-1)
      const whole = kind !== 'object' || missingIn(items, value as Entities).length === 0
      if (whole) found.push(value)
      else if (typeof last === 'object' && last !== null) found[found.length - 1] = { ...(value as Entities), ...last }
    }
    return nonEmpty(found)
  }

  *#all(items: EntityField): Generator {
    for (let value = this.value(items); value !== undefined; value = this.value(items)) yield value
  }

  #segments(): Word[][] {
    const segments: Word[][] = [[]]
    for (const word of this.#words) {
      if (word.apart || ['and', 'plus', 'with'].includes(word.word)) segments.push([])
      if (!this.#used.has(word)) segments.at(-1)?.push(word)
    }
    return segments.filter(({ length }) => length > 0)
  }

  #use(words: readonly Word[]): void {
    for (const word of words) this.#used.add(word)
  }
}

function ends({ word, apart }: Word): boolean {
  return apart || ['and', 'with', 'for', 'please', 'by', 'plus', 'thanks', 'then'].includes(word)
}

function nonEmpty<Value extends object>(value: Value): Value | undefined {
  return Object.keys(value).length === 0 ? undefined : value
}

/**
 * What helps to find a value in words; given with `.meta()` on the fields of an extraction schema. Enums are found by
 * their values, numbers by figures and letters, strings with a pattern by the pattern; these say what else there is.
 */
export interface EntityHints {
  /** Other words for the values of an enum, and for `true` and `false`. */
  readonly words?: Readonly<Record<string, readonly string[]>> | undefined
  /** The string is what comes after one of these words, such as "at" for a place. */
  readonly after?: readonly string[] | undefined
  /** The string is what is left when everything else has been found. */
  readonly rest?: boolean | undefined
  /** How the user is asked for it when it is missing. */
  readonly question?: string | undefined
  /** Ready answers to that question. */
  readonly options?: readonly string[] | undefined
}

/** A field's JSON Schema, as far as it matters here. */
export interface EntityField extends EntityHints {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, EntityField>>
  readonly required?: readonly string[]
  readonly items?: EntityField
  readonly title?: string
  readonly description?: string
}

const known = new WeakMap<z.ZodType, EntityField>()

/** What is looked for: the JSON Schema of an extraction schema, with the hints in it. */
export function entityField(schema: z.ZodType): EntityField {
  let field = known.get(schema)
  if (field === undefined) {
    field = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as EntityField
    known.set(schema, field)
  }
  return field
}
