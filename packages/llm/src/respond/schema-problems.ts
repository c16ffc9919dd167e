import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'
import { canonicalText, kindOf } from './json-kinds.ts'
import { isObject, resolveReference, toPattern, type JsonSchema } from './json-schema.ts'

/** What is wrong with a part of the value, by a schema inside the schema. */
type Inner = (schema: unknown, value: unknown, at: string) => string[]
type Check = (schema: JsonSchema, value: unknown, at: string, inner: Inner) => string[]

// Values are at most 100 levels deep; a schema that goes this much deeper refers to itself for ever.
const mostLevels = 1_000

/** What is wrong with a JSON value by a schema that `checkSchema` has accepted: one sentence for each thing. */
export function schemaProblems(root: JsonSchema, value: unknown, at: string): string[] {
  let level = 0
  const inner: Inner = (schema, part, place) => {
    if (typeof schema === 'boolean') return schema ? [] : [`${place} must not be there.`]
    if (!isObject(schema)) return []
    if (++level > mostLevels) throw new BeachError('INVALID_CONFIGURATION', 'A JSON Schema refers to itself for ever.')
    const referred = typeof schema.$ref === 'string' ? inner(resolveReference(root, schema.$ref), part, place) : []
    const wrongType = typeProblems(schema, part, place)
    const found = wrongType.length > 0 ? wrongType : checks.flatMap((check) => check(schema, part, place, inner))
    level--
    return [...referred, ...found]
  }
  return inner(root, value, at)
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
  if (choices === undefined || choices.some((choice) => canonicalText(choice) === canonicalText(value))) return []
  return [`${at} must be ${choices.map((choice) => JSON.stringify(choice)).join(' or ')}.`]
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

const stringProblems: Check = ({ minLength, maxLength, pattern, format }, value, at) => {
  if (typeof value !== 'string') return []
  const problems = rangeProblems(Array.from(value).length, minLength, maxLength, `${at} must have`, 'characters')
  if (typeof pattern === 'string' && !toPattern(pattern).test(value)) problems.push(`${at} must match ${pattern}.`)
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
  return [...problems, ...value.flatMap((item, index) => inner(first[index] ?? rest, item, `${at}[${index}]`))]
}

// 2020-12 says prefixItems and items where draft 7 says items and additionalItems.
function itemSchemas({ prefixItems, items, additionalItems }: JsonSchema): { first: unknown[]; rest: unknown } {
  if (Array.isArray(prefixItems)) return { first: prefixItems, rest: items }
  return Array.isArray(items) ? { first: items, rest: additionalItems } : { first: [], rest: items }
}

const objectProblems: Check = (schema, value, at, inner) => {
  if (!isObject(value)) return []
  const { required, minProperties, maxProperties, propertyNames } = schema
  const keys = Object.keys(value)
  const problems = rangeProblems(keys.length, minProperties, maxProperties, `${at} must have`, 'members')
  if (Array.isArray(required)) problems.push(...missing(required, value, at))
  if (propertyNames !== undefined) {
    problems.push(...keys.flatMap((key) => inner(propertyNames, key, `The name ${JSON.stringify(key)} in ${at}`)))
  }
  return [
    ...problems,
    ...keys.flatMap((key) =>
      memberSchemas(schema, key).flatMap((member) =>
        member === false ? [`${at} must not have ${JSON.stringify(key)}.`] : inner(member, value[key], `${at}.${key}`),
      ),
    ),
  ]
}

/** Every schema that the member of this name must fit. */
function memberSchemas({ properties, patternProperties, additionalProperties }: JsonSchema, key: string): unknown[] {
  const found: unknown[] = []
  if (isObject(properties) && Object.hasOwn(properties, key)) found.push(properties[key])
  if (isObject(patternProperties)) {
    const matching = Object.entries(patternProperties).filter(([pattern]) => toPattern(pattern).test(key))
    found.push(...matching.map(([, schema]) => schema))
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
