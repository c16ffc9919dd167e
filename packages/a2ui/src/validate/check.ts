import { isPlainObject, kindOf, own, quoted, type PlainObject } from '../plain.ts'
import { escapeSegment } from '../pointer.ts'
import { surfacePattern } from '../surface-pattern.ts'
import type { CatalogRules } from './catalog-rules.ts'
import type { Problems } from './problems.ts'

/** What a check is told besides the value. */
export interface CheckContext {
  readonly problems: Problems
  /** What is looked at, as a sentence begins: `The Button 'book'`. */
  readonly subject: string
  /** How many functions stand around the value. */
  readonly calls: number
  /** The catalog of the surface; the Basic Catalog when left out. */
  readonly catalog?: CatalogRules
}

/** Looks at a value and says what is wrong with it; `name` is what the value is called. */
export type Check = (value: unknown, path: string, name: string, looking: CheckContext) => void

export interface Shape {
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, Check>>
}

/** Looks at an object's properties: those that are missing, those that are unknown, and each of the others. */
export function checkShape(given: PlainObject, path: string, shape: Shape, looking: CheckContext, what: string): void {
  const { problems } = looking
  for (const key of shape.required) {
    if (own(given, key) !== undefined) continue
    problems.add(path, `${what} has no '${key}'.`, `Add '${key}'.`)
  }
  for (const [key, value] of Object.entries(given)) {
    if (problems.isFull) return
    const check = Object.hasOwn(shape.properties, key) ? shape.properties[key] : undefined
    const place = `${path}/${escapeSegment(key)}`
    if (check === undefined) {
      const known = Object.keys(shape.properties).join(', ')
      problems.add(place, `${what} has no property ${quoted(key)}.`, `Leave it out. Known are: ${known}.`)
    } else if (value !== undefined) check(value, place, key, looking)
  }
}

/** Says that a value is not what it must be. */
export function addWrong(value: unknown, path: string, name: string, looking: CheckContext, remedy: string): void {
  looking.problems.add(path, `${looking.subject} has ${kindOf(value)} as '${name}'.`, remedy)
}

/** A check by a test, with what the value must be in words. */
export function must(test: (value: unknown) => boolean, be: string): Check {
  return (value, path, name, looking) => {
    if (!test(value)) addWrong(value, path, name, looking, `'${name}' must be ${be}.`)
  }
}

export function wordOf(words: readonly string[]): Check {
  return must((value) => typeof value === 'string' && words.includes(value), `one of: ${words.join(', ')}`)
}

/** An object of a shape; `what` is what it is called. */
export function objectOf(shape: Shape, what: string): Check {
  return (value, path, name, looking) => {
    if (isPlainObject(value)) return checkShape(value, path, shape, looking, `${what} of ${lower(looking.subject)}`)
    addWrong(value, path, name, looking, `'${name}' must be an object.`)
  }
}

export function listOf(item: Check, be: string, fewest = 0): Check {
  return (value, path, name, looking) => {
    if (!Array.isArray(value)) return addWrong(value, path, name, looking, `'${name}' must be ${be}.`)
    const { problems, subject } = looking
    if (value.length < fewest) {
      problems.add(path, `${subject} has ${value.length} in '${name}'.`, `Give at least ${fewest}.`)
    }
    for (const [index, member] of value.entries()) {
      if (problems.isFull) return
      item(member, `${path}/${index}`, `${name}[${index}]`, looking)
    }
  }
}

export const isText = must((value) => typeof value === 'string', 'a string')
export const isNumber = must((value) => Number.isFinite(value), 'a number')
export const isBoolean = must((value) => typeof value === 'boolean', 'true or false')
export const isCount = must((value) => Number.isInteger(value) && Number(value) >= 0, 'a whole number, 0 or more')

/** A regular expression that the renderer can try in linear time. */
export const isPattern: Check = (value, path, name, looking) => {
  mustBePattern(value, path, name, looking)
  const pattern = isRegularExpression(value) ? surfacePattern(value) : undefined
  if (pattern === undefined || !('problem' in pattern)) return
  const { problems, subject } = looking
  const advice = 'Look neither ahead nor back, refer to no group, and repeat at most a few hundred times.'
  problems.add(path, `${subject} has a '${name}' that ${pattern.problem}, and cannot be checked.`, advice)
}

const mustBePattern = must(isRegularExpression, 'a regular expression of JavaScript')

function isRegularExpression(value: unknown): value is string {
  if (typeof value !== 'string') return false
  try {
    return new RegExp(value) instanceof RegExp
  } catch {
    return false
  }
}

/** The beginning of a sentence in the middle of another. */
export function lower(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

// What a page would run, or read from the reader's own machine.
const unsafe = /^(?:javascript|vbscript|data|file|blob|filesystem):/i
const uri = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i

export const isAddress: Check = must(
  (value) => typeof value === 'string' && uri.test(value) && !unsafe.test(value),
  'a complete address, such as https://example.com/page',
)

const date = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`
const isoTime = new RegExp(`^(?:${date}(?:[T ]${time})?|${time})$`, 'i')

/** True for a date, a time, or both, as ISO 8601 writes them. */
export function isIsoTime(text: string): boolean {
  return isoTime.test(text)
}
