import type { Tool } from '@modelcontextprotocol/server'

/**
 * The schema with the keywords and formats of JSON Schema only: clients may check schemas strictly, and what the author of
 * a tool has noted in it besides is not for them.
 */
export function standardSchema(schema: Readonly<Record<string, unknown>>): Tool['inputSchema'] {
  return { type: 'object', ...(standard(schema) as object) }
}

function standard(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(standard)
  if (!isObject(schema)) return schema
  const members = Object.entries(schema).filter(([key, value]) => keywords.has(key) && isKnownFormat(key, value))
  return Object.fromEntries(members.map(([key, value]) => [key, standardMember(key, value)]))
}

function standardMember(key: string, value: unknown): unknown {
  if (ofSchemas.has(key)) return standard(value)
  if (!byName.has(key) || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, standard(schema)]))
}

function isKnownFormat(key: string, value: unknown): boolean {
  return key !== 'format' || (typeof value === 'string' && formats.has(value))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Keywords whose value is a schema, or a list of them. */
const ofSchemas = set(
  'additionalProperties items prefixItems additionalItems contains propertyNames not if then else allOf anyOf oneOf ' +
    'unevaluatedItems unevaluatedProperties contentSchema',
)
/** Keywords whose value has schemas by name. */
const byName = set('properties patternProperties $defs definitions dependentSchemas dependencies')

const keywords = new Set([
  ...ofSchemas,
  ...byName,
  ...set(
    '$schema $id $ref $anchor $dynamicRef $dynamicAnchor $comment type enum const title description default examples ' +
      'deprecated readOnly writeOnly format multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength ' +
      'minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required ' +
      'dependentRequired contentEncoding contentMediaType',
  ),
])

const formats = set(
  'date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference ' +
    'uri-template uuid json-pointer relative-json-pointer regex',
)
