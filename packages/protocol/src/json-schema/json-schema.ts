import { BeachError } from '@cool-ai/beach-core'

/** A JSON Schema object, of draft 7 or 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

const inOne = new Set([
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalProperties',
  'additionalItems',
])
const inMany = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const byName = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])

// Their meaning depends on more of a validation than the value at hand, or on other documents.
const unsupported = [
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$anchor',
  'dependencies',
  'unevaluatedItems',
  'unevaluatedProperties',
]

/** The schema with every schema directly inside it replaced; values such as `const` and `default` stay untouched. */
export function mapSubschemas(schema: JsonSchema, map: (subschema: unknown) => unknown): JsonSchema {
  const mapped = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (inOne.has(keyword)) return [keyword, map(value)]
    if (keyword === 'items') return [keyword, Array.isArray(value) ? value.map(map) : map(value)]
    if (inMany.has(keyword) && Array.isArray(value)) return [keyword, value.map(map)]
    if (byName.has(keyword) && isObject(value)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, map(inner)]))]
    }
    return [keyword, value]
  })
  return Object.fromEntries(mapped)
}

/** What a reference inside the schema, such as `#/$defs/Flight`, points to; undefined when there is no such thing. */
export function resolveReference(root: JsonSchema, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let found: unknown = root
  for (const token of reference.slice(2).split('/')) {
    const key = decoded(token)?.replaceAll('~1', '/').replaceAll('~0', '~')
    if (key === undefined || typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

function decoded(token: string): string | undefined {
  try {
    return decodeURIComponent(token)
  } catch {
    return undefined
  }
}

/** Refuses, at start-up, a schema that could not be enforced as its author meant it. */
export function checkSchema(root: JsonSchema, name: string): void {
  const refuse = (problem: string) => {
    throw new BeachError('INVALID_CONFIGURATION', `${name} ${problem}`)
  }
  const checked = new Set<unknown>()
  const check = (schema: unknown, base: unknown): unknown => {
    if (typeof schema === 'boolean') return schema
    if (!isObject(schema)) return refuse('contains something that is not a JSON Schema.')
    if (checked.has(schema)) return schema
    checked.add(schema)
    const keyword = unsupported.find((key) => key in schema)
    if (keyword !== undefined) refuse(`uses '${keyword}', which is not supported.`)
    const { $ref, $id = base } = schema
    if ($ref !== undefined) {
      if ($id !== root.$id) refuse('has a reference inside a schema with an `$id` of its own.')
      const found = typeof $ref === 'string' ? resolveReference(root, $ref) : undefined
      if (found === undefined) refuse(`refers to ${JSON.stringify($ref)}, which is not in it.`)
      // It may be in a place that is no schema by itself, such as `components` of OpenAPI.
      check(found, $id)
    }
    for (const pattern of patternsOf(schema)) if (!isPattern(pattern)) refuse(`has a pattern that is none: ${pattern}`)
    return mapSubschemas(schema, (inner) => check(inner, $id))
  }
  if (!isObject(root)) refuse('is not a JSON Schema object.')
  check(root, root.$id)
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function patternsOf({ pattern, patternProperties }: JsonSchema): string[] {
  const named = isObject(patternProperties) ? Object.keys(patternProperties) : []
  return typeof pattern === 'string' ? [pattern, ...named] : named
}

/** A pattern of a schema as an expression; those that only older rules allow are read by the older rules. */
export function toPattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}

function isPattern(pattern: string): boolean {
  try {
    return toPattern(pattern) instanceof RegExp
  } catch {
    return false
  }
}

/** The JSON type of a value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A text that two JSON values share exactly when they are equal, whatever order their members are in. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalText(member)}`).join(',')}}`
}
