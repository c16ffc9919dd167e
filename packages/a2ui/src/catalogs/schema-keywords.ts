import { isPlainObject, kindOf, own, type PlainObject } from '../plain.ts'
import { surfacePattern } from '../surface-pattern.ts'
import {
  addWrong,
  isAddress,
  isIsoTime,
  lower,
  must,
  wordOf,
  type Check,
  type CheckContext,
} from '../validate/check.ts'

/** What a value is called in a sentence; the component itself has no name. */
export function called(name: string, { subject }: CheckContext): string {
  return name === '' ? subject : `'${name}' of ${lower(subject)}`
}

const typeTests: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  string: [(value) => typeof value === 'string', 'a string'],
  number: [(value) => Number.isFinite(value), 'a number'],
  integer: [(value) => Number.isInteger(value), 'a whole number'],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
  array: [(value) => Array.isArray(value), 'an array'],
  object: [isPlainObject, 'an object'],
  null: [(value) => value === null, 'null'],
}

/** A check of one keyword, or a sentence that says why there can be none. */
type KeywordCheck = Check | string

type MakeCheck = (value: unknown) => KeywordCheck

function typeCheck(given: unknown): KeywordCheck {
  const names = Array.isArray(given) ? given : [given]
  const tests = names.map((name: unknown) => (typeof name === 'string' ? own(typeTests, name) : undefined))
  const known = tests.filter((test) => test !== undefined) as (readonly [(value: unknown) => boolean, string])[]
  if (known.length === 0 || known.length < names.length) {
    return `must be one of: ${Object.keys(typeTests).join(', ')}; not ${kindOf(given)}.`
  }
  return must((value) => known.some(([test]) => test(value)), known.map(([, be]) => be).join(' or '))
}

function enumCheck(given: unknown): KeywordCheck {
  if (!Array.isArray(given) || given.length === 0) return 'must be a list of values.'
  if (given.every((value) => typeof value === 'string')) return wordOf(given)
  const texts = given.map((value) => JSON.stringify(value))
  return must((value) => texts.includes(JSON.stringify(value)), `one of: ${texts.join(', ')}`)
}

function patternCheck(given: unknown): KeywordCheck {
  if (typeof given !== 'string') return 'must be a regular expression.'
  const pattern = surfacePattern(given)
  if ('problem' in pattern) return `has a pattern that ${pattern.problem}, and cannot be checked.`
  return must((value) => typeof value !== 'string' || pattern.test(value), `a string that fits ${given}`)
}

/** A limit: what is measured of a value, and how the limit is said. */
function limit(
  measure: (value: unknown) => number | undefined,
  isWithin: (measured: number, limit: number) => boolean,
  say: (limit: number) => string,
): MakeCheck {
  return (given) => {
    if (typeof given !== 'number' || !Number.isFinite(given)) return 'must be a number.'
    return (value, path, name, looking) => {
      const measured = measure(value)
      if (measured === undefined || isWithin(measured, given)) return
      looking.problems.add(path, `${called(name, looking)} is ${kindOf(value)}.`, `It must have ${say(given)}.`)
    }
  }
}

const atLeast = (measured: number, least: number) => measured >= least
const atMost = (measured: number, most: number) => measured <= most
const numberIn = (value: unknown) => (typeof value === 'number' ? value : undefined)
const lengthOf = (value: unknown) => (typeof value === 'string' ? Array.from(value).length : undefined)
const countOf = (value: unknown) => (Array.isArray(value) ? value.length : undefined)
const membersOf = (value: unknown) => (isPlainObject(value) ? Object.keys(value).length : undefined)

/** Keywords that say something of a value by themselves. */
export const plainKeywords: ReadonlyMap<string, MakeCheck> = new Map<string, MakeCheck>([
  ['type', typeCheck],
  ['enum', enumCheck],
  ['const', (given) => enumCheck([given])],
  ['pattern', patternCheck],
  ['minimum', limit(numberIn, atLeast, (least) => `a value of ${least} or more`)],
  ['maximum', limit(numberIn, atMost, (most) => `a value of ${most} or less`)],
  [
    'exclusiveMinimum',
    limit(
      numberIn,
      (value, least) => value > least,
      (least) => `a value of more than ${least}`,
    ),
  ],
  [
    'exclusiveMaximum',
    limit(
      numberIn,
      (value, most) => value < most,
      (most) => `a value of less than ${most}`,
    ),
  ],
  ['multipleOf', limit(numberIn, isMultiple, (step) => `a value that is a multiple of ${step}`)],
  ['minLength', limit(lengthOf, atLeast, (least) => `at least ${least} characters`)],
  ['maxLength', limit(lengthOf, atMost, (most) => `at most ${most} characters`)],
  ['minItems', limit(countOf, atLeast, (least) => `at least ${least} items`)],
  ['maxItems', limit(countOf, atMost, (most) => `at most ${most} items`)],
  ['minProperties', limit(membersOf, atLeast, (least) => `at least ${least} properties`)],
  ['maxProperties', limit(membersOf, atMost, (most) => `at most ${most} properties`)],
  ['uniqueItems', (given) => (given === true ? allDifferent : () => {})],
  ['required', requiredCheck],
  ['format', formatCheck],
])

/** Formats that A2UI's own catalogs use are checked; others say what is meant. */
function formatCheck(given: unknown): KeywordCheck {
  const check = typeof given === 'string' ? own(formats, given) : undefined
  if (check === undefined) return () => {}
  return (value, ...rest) => {
    if (typeof value === 'string') (check as Check)(value, ...rest)
  }
}

const isMoment = must(
  (value) => isIsoTime(String(value)),
  "a date such as '2026-04-20', a time such as '09:30', or both",
)

const formats: Readonly<Record<string, Check>> = {
  uri: isAddress,
  date: isMoment,
  time: isMoment,
  'date-time': isMoment,
}

function isMultiple(value: number, step: number): boolean {
  const times = value / step
  return Math.abs(times - Math.round(times)) < 1e-9
}

const allDifferent: Check = (value, path, name, looking) => {
  if (!Array.isArray(value) || new Set(value.map((item) => JSON.stringify(item))).size === value.length) return
  addWrong(value, path, name, looking, 'Its items must differ from each other.')
}

function requiredCheck(given: unknown): KeywordCheck {
  if (!Array.isArray(given) || !given.every((name) => typeof name === 'string')) return 'must be a list of names.'
  return (value, path, name, looking) => {
    if (!isPlainObject(value)) return
    for (const key of given) {
      if (own(value, key) === undefined)
        looking.problems.add(path, `${called(name, looking)} has no '${key}'.`, `Add '${key}'.`)
    }
  }
}

/** Keywords that say nothing that could be checked. */
export const annotations: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'discriminator',
])

/** The kind of a schema that says nothing but its values. */
export function isWord(schema: PlainObject): boolean {
  return Object.hasOwn(schema, 'enum') || Object.hasOwn(schema, 'const')
}
