import { BeachError } from '@cool-ai/beach-core'
import { linearPattern, LruMap } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import { CheckEffort } from './check-effort.ts'
import {
  canonicalText,
  kindOf,
  isObject,
  mapSubschemas,
  resolveReference,
  toPattern,
  type JsonSchema,
} from './json-schema.ts'
import { choicesOf, isChoice } from './schema-choices.ts'

/** What is wrong with a part of the value, by a schema inside the schema. */
type Inner = (schema: unknown, value: unknown, at: string) => string[]
type Check = (schema: JsonSchema, value: unknown, at: string, run: Run) => string[]

interface Run {
  readonly inner: Inner
  readonly effort: CheckEffort
  /** Whether a text matches a pattern; undefined when that is not tried. */
  readonly matches: (pattern: string, text: string) => boolean | undefined
}

export interface SchemaOptions {
  /** True for a foreign schema: patterns that have no linear form are not tried. */
  readonly isForeign?: boolean | undefined
}

// Values are at most 100 levels deep; a schema that goes this much deeper refers to itself for ever.
const maxLevels = 1_000
const maxProblems = 100
// About as long as it takes to put one of many items into its place.
const sortingSteps = 3

/** What is wrong with a JSON value by a schema that `checkSchema` has accepted: one sentence for each thing. */
export function schemaProblems(root: JsonSchema, value: unknown, at: string, options: SchemaOptions = {}): string[] {
  let level = 0
  const effort = new CheckEffort()
  const inner: Inner = (schema, part, place) => {
    effort.spend(1)
    if (typeof schema === 'boolean') return schema ? [] : [`${place} must not be there.`]
    if (!isObject(schema)) return []
    if (++level > maxLevels) throw new BeachError('INVALID_CONFIGURATION', 'A JSON Schema refers to itself for ever.')
    effort.spend(listedIn(schema))
    effort.characters(ownLength(schema))
    const referred = typeof schema.$ref === 'string' ? inner(resolveReference(root, schema.$ref), part, place) : []
    const wrongType = typeProblems(schema, part, place)
    const found = wrongType.length > 0 ? wrongType : gathered(checks, (check) => check(schema, part, place, run))
    level--
    return [...referred, ...found].slice(0, maxProblems)
  }
  const run: Run = { inner, effort, matches: matching(effort, options) }
  return inner(root, value, at)
}

/** What is found in one after the other, until it is enough. */
function gathered<Item>(items: Iterable<Item>, find: (item: Item) => readonly string[]): string[] {
  const problems: string[] = []
  for (const item of items) {
    problems.push(...find(item))
    if (problems.length >= maxProblems) break
  }
  return problems
}

// They are made anew where there are many: each can take some hundred kilobytes.
const made = new LruMap<ReturnType<typeof linearPattern>>(50)

function matching(effort: CheckEffort, { isForeign = false }: SchemaOptions): Run['matches'] {
  return (source, text) => {
    const pattern = made.get(source) ?? linearPattern(source)
    made.set(source, pattern)
    if ('problem' in pattern) {
      effort.characters(text.length)
      return isForeign ? undefined : toPattern(source).test(text)
    }
    const { isMatch, steps } = pattern.run(text, effort.patternStepsLeft)
    // To make a pattern takes a step for each state.
    effort.patternSteps(steps + pattern.states)
    return isMatch
  }
}

/** How much there is to compare, besides what is in further schemas. */
function listedIn({ enum: choices, required }: JsonSchema): number {
  return [choices, required].reduce((sum: number, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
}

const ownLengths = new WeakMap<JsonSchema, number>()

/** How long a schema is without the schemas inside it. */
function ownLength(schema: JsonSchema): number {
  const length = ownLengths.get(schema) ?? JSON.stringify(mapSubschemas(schema, () => true)).length
  ownLengths.set(schema, length)
  return length
}

function typeProblems({ type }: JsonSchema, value: unknown, at: string): string[] {
  if (type === undefined) return []
  const types: unknown[] = Array.isArray(type) ? type : [type]
  const kind = kindOf(value)
  if (types.includes(kind) || (kind === 'number' && types.includes('integer') && Number.isInteger(value))) return []
  return [`${at} must be ${types.join(' or ')}, not ${kind}.`]
}

const choiceProblems: Check = (schema, value, at, { effort }) =>
  choicesOf(schema).flatMap((choices) => (isChoice(choices, value, effort) ? [] : [`${at} must be ${choices.said}.`]))

const combinationProblems: Check = (schema, value, at, { inner }) => {
  const { anyOf, oneOf, allOf, not } = schema
  const problems: string[] = []
  if (Array.isArray(allOf)) problems.push(...gathered(allOf, (one) => inner(one, value, at)))
  if (Array.isArray(anyOf)) problems.push(...closest(anyOf.map((one) => inner(one, value, at))))
  if (Array.isArray(oneOf)) {
    const each = oneOf.map((one) => inner(one, value, at))
    const fitting = each.filter((found) => found.length === 0).length
    problems.push(...(fitting > 1 ? [`${at} fits ${fitting} forms of which it must fit one.`] : closest(each)))
  }
  if (not !== undefined && inner(not, value, at).length === 0) problems.push(`${at} has a form that is not allowed.`)
  if (schema.if === undefined) return problems
  const branch = inner(schema.if, value, at).length === 0 ? schema.then : schema.else
  return branch === undefined ? problems : [...problems, ...inner(branch, value, at)]
}

// The author of the value most likely meant the form that it misses by least.
function closest(each: readonly string[][]): string[] {
  return each.toSorted((one, other) => one.length - other.length)[0] ?? []
}

const maxWordLength = 1_000

const formats: Readonly<Record<string, z.ZodType>> = {
  date: z.iso.date(),
  // RFC 3339 allows small letters.
  'date-time': z
    .string()
    .toUpperCase()
    .pipe(z.iso.datetime({ offset: true })),
  email: z.email({ pattern: z.regexes.html5Email }),
  // By RFC 3339 a time has an offset; many schemas mean one without.
  time: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/i),
  uri: z.url(),
  uuid: z.guid(),
}

const stringProblems: Check = ({ minLength, maxLength, pattern, format }, value, at, { effort, matches }) => {
  if (typeof value !== 'string') return []
  const problems: string[] = []
  if (typeof minLength === 'number' || typeof maxLength === 'number') {
    effort.characters(value.length)
    problems.push(...rangeProblems(lengthOf(value), minLength, maxLength, `${at} must have`, 'characters'))
  }
  if (typeof pattern === 'string' && matches(pattern, value) === false) problems.push(`${at} must match ${pattern}.`)
  const known = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined
  if (known === undefined) return problems
  effort.characters(value.length)
  if (!isOf(known, value)) problems.push(`${at} must be of the format '${String(format)}'.`)
  return problems
}

/** Only an address can be long; an expression would run out of stack over such a text. */
function isOf(format: z.ZodType, text: string): boolean {
  return (text.length <= maxWordLength || format === formats.uri) && format.safeParse(text).success
}

/** The number of characters as people count them, not of their halves. */
function lengthOf(text: string): number {
  let length = 0
  for (const character of text) length += character === '' ? 0 : 1
  return length
}

const bounds: readonly (readonly [keyword: string, fits: (value: number, bound: number) => boolean, words: string])[] =
  [
    ['minimum', (value, bound) => value >= bound, 'at least'],
    ['maximum', (value, bound) => value <= bound, 'at most'],
    ['exclusiveMinimum', (value, bound) => value > bound, 'more than'],
    ['exclusiveMaximum', (value, bound) => value < bound, 'less than'],
    ['multipleOf', isMultiple, 'a multiple of'],
  ]

const numberProblems: Check = (schema, value, at) => {
  if (typeof value !== 'number') return []
  return bounds.flatMap(([keyword, fits, words]) => {
    const bound = schema[keyword]
    return typeof bound !== 'number' || fits(value, bound) ? [] : [`${at} must be ${words} ${bound}.`]
  })
}

// 0.3 is a multiple of 0.1, though not in binary.
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of
  if (!Number.isFinite(quotient)) return value % of === 0
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.abs(quotient)
}

const arrayProblems: Check = (schema, value, at, { inner, effort }) => {
  if (!Array.isArray(value)) return []
  const items: readonly unknown[] = value
  const { minItems, maxItems, uniqueItems, contains } = schema
  const problems = rangeProblems(items.length, minItems, maxItems, `${at} must have`, 'items')
  if (uniqueItems === true && hasTwice(items, effort)) problems.push(`${at} must not have the same item twice.`)
  if (contains !== undefined) {
    const fitting = items.filter((item) => inner(contains, item, at).length === 0).length
    const { minContains = 1, maxContains } = schema
    problems.push(...rangeProblems(fitting, minContains, maxContains, `${at} must have`, 'items of a certain form'))
  }
  const { first, rest } = itemSchemas(schema)
  // Nothing is said of what comes after the first.
  const checked = rest === undefined ? items.slice(0, first.length) : items
  const found = gathered(checked.entries(), ([index, item]) => inner(first[index] ?? rest, item, `${at}[${index}]`))
  return [...problems, ...found]
}

function hasTwice(items: readonly unknown[], effort: CheckEffort): boolean {
  effort.whole(items)
  effort.spend(items.length * sortingSteps)
  // A set of long texts can be made slow by an attacker; sorting cannot.
  const texts = items.map(canonicalText).toSorted()
  return texts.some((text, index) => text === texts[index + 1])
}

// 2020-12 says prefixItems and items where draft 7 says items and additionalItems.
function itemSchemas({ prefixItems, items, additionalItems }: JsonSchema): { first: unknown[]; rest: unknown } {
  if (Array.isArray(prefixItems)) return { first: prefixItems, rest: items }
  return Array.isArray(items) ? { first: items, rest: additionalItems } : { first: [], rest: items }
}

const objectProblems: Check = (schema, value, at, run) => {
  if (!isObject(value)) return []
  const { required, propertyNames } = schema
  const problems = Array.isArray(required) ? missing(required, value, at) : []
  if (!aboutMembers.some((keyword) => keyword in schema)) return problems
  const keys = Object.keys(value)
  run.effort.spend(keys.length)
  problems.unshift(
    ...rangeProblems(keys.length, schema.minProperties, schema.maxProperties, `${at} must have`, 'members'),
  )
  if (propertyNames !== undefined) {
    const named = (key: string) => run.inner(propertyNames, key, `The name ${JSON.stringify(key)} in ${at}`)
    problems.push(...gathered(keys, named))
  }
  return [...problems, ...gathered(keys, (key) => memberProblems(schema, value, key, at, run))]
}

const aboutMembers = [
  'minProperties',
  'maxProperties',
  'propertyNames',
  'properties',
  'patternProperties',
  'additionalProperties',
]

function memberProblems(
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  key: string,
  at: string,
  run: Run,
): string[] {
  return memberSchemas(schema, key, run).flatMap((member) =>
    member === false ? [`${at} must not have ${JSON.stringify(key)}.`] : run.inner(member, value[key], `${at}.${key}`),
  )
}

/** Every schema that the member of this name must fit. */
function memberSchemas(
  { properties, patternProperties, additionalProperties }: JsonSchema,
  key: string,
  { effort, matches }: Run,
): unknown[] {
  const found: unknown[] = []
  if (isObject(properties) && Object.hasOwn(properties, key)) found.push(properties[key])
  let isOpen = false
  for (const [pattern, schema] of isObject(patternProperties) ? Object.entries(patternProperties) : []) {
    effort.spend(1)
    const isMatch = matches(pattern, key)
    if (isMatch === true) found.push(schema)
    isOpen ||= isMatch === undefined
  }
  // What a pattern that is not tried would have said of the member is not known.
  return found.length > 0 || isOpen ? found : [additionalProperties]
}

const dependencyProblems: Check = ({ dependentRequired, dependentSchemas }, value, at, { inner, effort }) => {
  if (!isObject(value)) return []
  const present = (of: unknown) =>
    isObject(of)
      ? Object.entries(of)
          .filter(([key]) => Object.hasOwn(value, key))
          .map(([, needs]) => needs)
      : []
  return [
    ...gathered(present(dependentRequired).filter(Array.isArray), (names) => {
      effort.spend(names.length)
      return missing(names, value, at)
    }),
    ...gathered(present(dependentSchemas), (schema) => inner(schema, value, at)),
  ]
}

function missing(names: readonly unknown[], value: object, at: string): string[] {
  return names
    .filter((name) => !Object.hasOwn(value, String(name)))
    .map((name) => `${at} needs ${JSON.stringify(name)}.`)
}

function rangeProblems(size: number, min: unknown, max: unknown, prefix: string, noun: string): string[] {
  const problems: string[] = []
  if (typeof min === 'number' && size < min) problems.push(`${prefix} at least ${min} ${noun}, not ${size}.`)
  if (typeof max === 'number' && size > max) problems.push(`${prefix} at most ${max} ${noun}, not ${size}.`)
  return problems
}

const checks: readonly Check[] = [
  choiceProblems,
  combinationProblems,
  stringProblems,
  numberProblems,
  arrayProblems,
  objectProblems,
  dependencyProblems,
]
