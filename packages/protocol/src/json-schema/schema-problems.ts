import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'
import { canonicalText, kindOf } from './json-kinds.ts'
import { isObject, resolveReference, toPattern, type JsonSchema } from './json-schema.ts'

/** What is wrong with a part of the value, by a schema inside the schema. */
type Inner = (schema: unknown, value: unknown, at: string) => string[]
type Check = (schema: JsonSchema, value: unknown, at: string, inner: Inner, options: SchemaOptions) => string[]

export interface SchemaOptions {
  /** Whether a pattern is tried on a text; always, when left out. */
  readonly isChecked?: (pattern: string, text: string) => boolean
}

// Values are at most 100 levels deep; a schema that goes this much deeper refers to itself for ever.
const mostLevels = 1_000
// Schemas can choose between schemas that choose between schemas; nobody waits for all of it.
const mostSteps = 1_000_000
const mostProblems = 100

/** What is wrong with a JSON value by a schema that `checkSchema` has accepted: one sentence for each thing. */
export function schemaProblems(root: JsonSchema, value: unknown, at: string, options: SchemaOptions = {}): string[] {
  let level = 0
  let steps = 0
  const inner: Inner = (schema, part, place) => {
    if (typeof schema === 'boolean') return schema ? [] : [`${place} must not be there.`]
    if (!isObject(schema)) return []
    if (++level > mostLevels) throw new BeachError('INVALID_CONFIGURATION', 'A JSON Schema refers to itself for ever.')
    steps += effortOf(schema, part)
    if (steps > mostSteps) throw new BeachError('INVALID_CONFIGURATION', 'A JSON Schema takes too long to check.')
    const referred = typeof schema.$ref === 'string' ? inner(resolveReference(root, schema.$ref), part, place) : []
    const wrongType = typeProblems(schema, part, place)
    const found =
      wrongType.length > 0 ? wrongType : checks.flatMap((check) => check(schema, part, place, inner, options))
    level--
    return [...referred, ...found]
  }
  return inner(root, value, at)
}

/** How much there is to compare, besides what is in further schemas. */
function effortOf({ enum: choices, required, patternProperties }: JsonSchema, value: unknown): number {
  const lists = [choices, required].reduce((sum: number, list) => sum + (Array.isArray(list) ? list.length : 0), 1)
  if (!isObject(patternProperties) || !isObject(value)) return lists
  return lists + Object.keys(patternProperties).length * Object.keys(value).length
}

function typeProblems({ type }: JsonSchema, value: unknown, at: string): string[] {
  if (type === undefined) return []
  const types: unknown[] = Array.isArray(type) ? type : [type]
  const kind = kindOf(value)
  if (types.includes(kind) || (kind === 'number' && types.includes('integer') && Number.isInteger(value))) return []
  return [`${at} must be ${types.join(' or ')}, not ${kind}.`]
}

const choiceProblems: Check = (schema, value, at) => {
  const choices = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : undefined
  if (choices === undefined || textsOf(schema, choices).has(canonicalText(value))) return []
  return [`${at} must be ${choices.map((choice) => JSON.stringify(choice)).join(' or ')}.`]
}

const choiceTexts = new WeakMap<JsonSchema, ReadonlySet<string>>()

/** The choices of a schema as texts; there can be many, and many values to compare them with. */
function textsOf(schema: JsonSchema, choices: readonly unknown[]): ReadonlySet<string> {
  const known = choiceTexts.get(schema) ?? new Set(choices.map(canonicalText))
  choiceTexts.set(schema, known)
  return known
}

const combinationProblems: Check = (schema, value, at, inner) => {
  const { anyOf, oneOf, allOf, not } = schema
  const problems: string[] = []
  if (Array.isArray(allOf)) problems.push(...allOf.flatMap((one) => inner(one, value, at)))
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

// Whoever has to correct the value most likely meant the form that it misses by least.
function closest(each: readonly string[][]): string[] {
  return each.toSorted((one, other) => one.length - other.length)[0] ?? []
}

const formats: Readonly<Record<string, z.ZodType>> = {
  date: z.iso.date(),
  'date-time': z.iso.datetime({ offset: true }),
  email: z.email(),
  time: z.iso.time(),
  uri: z.url(),
  uuid: z.guid(),
}

const stringProblems: Check = ({ minLength, maxLength, pattern, format }, value, at, _, { isChecked }) => {
  if (typeof value !== 'string') return []
  const problems = rangeProblems(Array.from(value).length, minLength, maxLength, `${at} must have`, 'characters')
  if (typeof pattern === 'string' && isChecked?.(pattern, value) !== false && !toPattern(pattern).test(value)) {
    problems.push(`${at} must match ${pattern}.`)
  }
  const known = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined
  if (known?.safeParse(value).success === false) problems.push(`${at} must be of the format '${String(format)}'.`)
  return problems
}

const numberProblems: Check = (schema, value, at) => {
  if (typeof value !== 'number') return []
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const problems: string[] = []
  if (typeof minimum === 'number' && value < minimum) problems.push(`${at} must be at least ${minimum}.`)
  if (typeof maximum === 'number' && value > maximum) problems.push(`${at} must be at most ${maximum}.`)
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    problems.push(`${at} must be more than ${exclusiveMinimum}.`)
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    problems.push(`${at} must be less than ${exclusiveMaximum}.`)
  }
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf)) {
    problems.push(`${at} must be a multiple of ${multipleOf}.`)
  }
  return problems
}

// 0.3 is a multiple of 0.1, though not in binary.
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.abs(quotient)
}

const arrayProblems: Check = (schema, value, at, inner) => {
  if (!Array.isArray(value)) return []
  const { minItems, maxItems, uniqueItems, contains } = schema
  const problems = rangeProblems(value.length, minItems, maxItems, `${at} must have`, 'items')
  if (uniqueItems === true && new Set(value.map(canonicalText)).size < value.length) {
    problems.push(`${at} must not have the same item twice.`)
  }
  if (contains !== undefined) {
    const matching = value.filter((item) => inner(contains, item, at).length === 0).length
    const { minContains = 1, maxContains } = schema
    problems.push(...rangeProblems(matching, minContains, maxContains, `${at} must have`, 'items of a certain form'))
  }
  const { first, rest } = itemSchemas(schema)
  for (const [index, item] of value.entries()) {
    problems.push(...inner(first[index] ?? rest, item, `${at}[${index}]`))
    if (problems.length >= mostProblems) break
  }
  return problems
}

// 2020-12 says prefixItems and items where draft 7 says items and additionalItems.
function itemSchemas({ prefixItems, items, additionalItems }: JsonSchema): { first: unknown[]; rest: unknown } {
  if (Array.isArray(prefixItems)) return { first: prefixItems, rest: items }
  return Array.isArray(items) ? { first: items, rest: additionalItems } : { first: [], rest: items }
}

const objectProblems: Check = (schema, value, at, inner, options) => {
  if (!isObject(value)) return []
  const { required, minProperties, maxProperties, propertyNames } = schema
  const keys = Object.keys(value)
  const problems = rangeProblems(keys.length, minProperties, maxProperties, `${at} must have`, 'members')
  if (Array.isArray(required)) problems.push(...missing(required, value, at))
  if (propertyNames !== undefined) {
    problems.push(...keys.flatMap((key) => inner(propertyNames, key, `The name ${JSON.stringify(key)} in ${at}`)))
  }
  for (const key of keys) {
    const found = memberSchemas(schema, key, options).flatMap((member) =>
      member === false ? [`${at} must not have ${JSON.stringify(key)}.`] : inner(member, value[key], `${at}.${key}`),
    )
    problems.push(...found)
    if (problems.length >= mostProblems) break
  }
  return problems
}

/** Every schema that the member of this name must fit. */
function memberSchemas(
  { properties, patternProperties, additionalProperties }: JsonSchema,
  key: string,
  { isChecked }: SchemaOptions,
): unknown[] {
  const found: unknown[] = []
  if (isObject(properties) && Object.hasOwn(properties, key)) found.push(properties[key])
  if (isObject(patternProperties)) {
    const patterns = Object.entries(patternProperties)
    const matching = patterns.filter(([pattern]) => isChecked?.(pattern, key) !== false && toPattern(pattern).test(key))
    found.push(...matching.map(([, schema]) => schema))
    // What a pattern that is not tried would have said of the member is not known.
    if (found.length === 0 && patterns.some(([pattern]) => isChecked?.(pattern, key) === false)) return []
  }
  return found.length > 0 ? found : [additionalProperties]
}

const dependencyProblems: Check = ({ dependentRequired, dependentSchemas }, value, at, inner) => {
  if (!isObject(value)) return []
  const present = (of: unknown) =>
    isObject(of)
      ? Object.entries(of)
          .filter(([key]) => Object.hasOwn(value, key))
          .map(([, needs]) => needs)
      : []
  return [
    ...present(dependentRequired).flatMap((names) => (Array.isArray(names) ? missing(names, value, at) : [])),
    ...present(dependentSchemas).flatMap((schema) => inner(schema, value, at)),
  ]
}

function missing(names: readonly unknown[], value: object, at: string): string[] {
  return names
    .filter((name) => !Object.hasOwn(value, String(name)))
    .map((name) => `${at} needs ${JSON.stringify(name)}.`)
}

function rangeProblems(size: number, least: unknown, most: unknown, prefix: string, noun: string): string[] {
  const problems: string[] = []
  if (typeof least === 'number' && size < least) problems.push(`${prefix} at least ${least} ${noun}, not ${size}.`)
  if (typeof most === 'number' && size > most) problems.push(`${prefix} at most ${most} ${noun}, not ${size}.`)
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
