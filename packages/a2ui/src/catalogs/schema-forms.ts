import { isPlainObject, own, type PlainObject } from '../plain.ts'
import type { Check } from '../validate/check.ts'
import type { A2uiProblem } from '../validate/problems.ts'
import type { SchemaRule } from './common-types.ts'
import { joinedKinds } from './property-kind.ts'
import { called } from './schema-keywords.ts'

/** What is wrong with a value by a rule, without saying so; undefined when too much has been tried. */
function attempted({ check }: SchemaRule, ...given: Parameters<Check>): readonly A2uiProblem[] | undefined {
  const [value, path, name, looking] = given
  const tried = looking.problems.attempt((problems) => check(value, path, name, { ...looking, problems }))
  if (tried === undefined) {
    looking.problems.add(path, `${called(name, looking)} takes too long to check.`, 'Write it more simply.')
  }
  return tried
}

/** One of several forms. What is said of a value that has none of them is what its own form lacks, where that is clear. */
export function choiceOf(
  keyword: 'anyOf' | 'oneOf',
  forms: readonly SchemaRule[],
  schemas: readonly unknown[],
): SchemaRule {
  const check: Check = (value, path, name, looking) => {
    const tried = forms.map((form) => attempted(form, value, path, name, looking))
    const { problems } = looking
    const fitting = tried.filter((found) => found?.length === 0).length
    if (fitting === 1 || (fitting > 1 && keyword === 'anyOf') || tried.includes(undefined)) return
    if (fitting > 1) {
      return problems.add(path, `${called(name, looking)} fits several forms at once.`, 'Use exactly one of them.')
    }
    const meant = tried.filter((_, index) => isMeant(schemas[index], value))
    const [closest] = meant.length === 1 ? meant : tried.length === 1 ? tried : []
    if (closest !== undefined) return closest.forEach((found) => problems.add(found.path, found.problem, found.remedy))
    const known = schemas.map((schema) => described(schema)).join('; ')
    problems.add(path, `${called(name, looking)} has none of the forms that it may have.`, `Use one of: ${known}.`)
  }
  return { check, kind: joinedKinds(forms.map((form) => form.kind)) }
}

export function notOf(rule: SchemaRule): SchemaRule {
  const check: Check = (value, path, name, looking) => {
    if (attempted(rule, value, path, name, looking)?.length !== 0) return
    looking.problems.add(path, `${called(name, looking)} is what it must not be.`, 'Use another value.')
  }
  return { check, kind: 'static' }
}

export function conditionOf(when: SchemaRule, then: SchemaRule, otherwise: SchemaRule): SchemaRule {
  const check: Check = (...given) => {
    const found = attempted(when, ...given)
    if (found !== undefined) (found.length === 0 ? then : otherwise).check(...given)
  }
  return { check, kind: joinedKinds([then.kind, otherwise.kind]) }
}

/** True when a value is of the type that a schema is for, or has in it what the schema fixes. */
function isMeant(schema: unknown, value: unknown): boolean {
  if (!isPlainObject(schema)) return false
  const { type } = schema
  if (Array.isArray(value)) return type === 'array'
  if (!isPlainObject(value)) return type === typeof value || (type === 'integer' && typeof value === 'number')
  const fixed = fixedIn(schema)
  return fixed.length === 0 ? type === 'object' : fixed.every(([name, constant]) => own(value, name) === constant)
}

/** The properties that can have one value only. */
function fixedIn({ properties }: PlainObject): [string, unknown][] {
  if (!isPlainObject(properties)) return []
  return Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    return isPlainObject(schema) && Object.hasOwn(schema, 'const') ? [[name, schema.const]] : []
  })
}

/** A schema in a few words. */
function described(schema: unknown): string {
  if (!isPlainObject(schema)) return String(schema)
  const { title, description, type, $ref } = schema
  for (const text of [title, description]) if (typeof text === 'string') return text
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? $ref
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  return typeof type === 'string' ? `a value of type '${type}'` : 'what its schema says'
}
