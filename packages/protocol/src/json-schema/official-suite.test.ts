import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isBeachError } from '@cool-ai/beach-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foreignSchemaProblems } from './foreign-schema.ts'
import type { JsonSchema } from './json-schema.ts'

/** A group of the official suite: a schema, and values that fit it or do not. */
interface Group {
  readonly description: string
  readonly schema: JsonSchema | boolean
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** What is refused on purpose: by what the refusal says, with the reason. docs/json-schema.md tells users. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [/is not a JSON Schema object/, 'a schema that is only true or false says nothing of data'],
  [/uses '\$anchor'/, 'references are pointers into the same document'],
  [/uses '\$dynamic(?:Ref|Anchor)'|uses '\$recursiveRef'/, 'their meaning depends on how the validation got there'],
  [/uses 'unevaluated(?:Items|Properties)'/, 'their meaning depends on what all other keywords have looked at'],
  [/uses 'dependencies'/, 'two keywords have taken its place since 2019-09'],
  [/refers to .*, which is not in it/, 'no other document is fetched or known, the meta-schemas included'],
  [/has a reference inside a schema with an `\$id`/, 'references are pointers into the same document'],
]

/** What is answered otherwise on purpose: by file and group, with the reason. */
const deviations: readonly (readonly [RegExp, string])[] = [
  [/^format\.json /, 'formats are checked, not only noted: date, date-time, email, time, uri, uuid'],
  [/^vocabulary\.json /, '`$schema` is not looked at: all vocabularies of 2020-12 always count'],
  [/^optional\/format\//, 'formats are checked as far as agents need them'],
  [/^optional\/format-assertion\.json /, '`$schema` is not looked at, and `ipv4` is not checked'],
]

/** The verdict on a value, or why the schema is refused. */
function verdict(schema: JsonSchema | boolean, data: unknown): boolean | string {
  try {
    return foreignSchemaProblems(schema as JsonSchema, data, 'data').length === 0
  } catch (error) {
    if (isBeachError(error, 'INVALID_CONFIGURATION')) return error.message
    throw error
  }
}

/** What of a group is neither as the suite says nor on a list. */
function surprises(file: string, { description, schema, tests }: Group): string[] {
  if (deviations.some(([where]) => where.test(`${file} ${description}`))) return []
  return tests.flatMap(({ description: what, data, valid }) => {
    const found = verdict(schema, data)
    const isRefused = typeof found === 'string' && refusals.some(([said]) => said.test(found))
    return found === valid || isRefused ? [] : [`${file}: ${description}: ${what}: ${String(found)}, not ${valid}`]
  })
}

// No npm package has the suite of this draft; docs/json-schema.md tells where it is.
// Without a checkout there is no such test, rather than a skipped one; with one that is not there it fails.
const { JSON_SCHEMA_TEST_SUITE: checkout } = process.env
const checkouts = checkout === undefined ? [] : [checkout]

test.each(checkouts)('the official suite of draft 2020-12 in %s holds, but for what is refused on purpose', (place) => {
  const folder = join(place, 'tests/draft2020-12')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  expect(files.length).toBeGreaterThan(40)
  const groups = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Group[]
  expect(files.flatMap((file) => groups(file).flatMap((group) => surprises(file, group)))).toEqual([])
})

describe('of another validator’s opinion', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false })
  const name = fc.constantFrom('a', 'b', 'ab', 'length')
  const scalar = fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 3, '', 'a', 'ab', '💩')
  const size = fc.nat(3)
  const limit = fc.constantFrom(-1, 0, 0.5, 1, 3)
  const limits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']
  const sizes = ['Length', 'Items', 'Contains', 'Properties'].flatMap((what) => [`min${what}`, `max${what}`])
  const type = fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'array', 'object')
  const named = <Inner>(inner: fc.Arbitrary<Inner>) => fc.dictionary(name, inner, { maxKeys: 2 })
  const some = <Inner>(inner: fc.Arbitrary<Inner>) => fc.array(inner, { minLength: 1, maxLength: 3 })

  function valueOf(depth: number): fc.Arbitrary<unknown> {
    if (depth === 0) return scalar
    const inner = valueOf(depth - 1)
    return fc.oneof(scalar, fc.array(inner, { maxLength: 4 }), fc.dictionary(name, inner, { maxKeys: 4 }))
  }
  const value = valueOf(2)

  /** A schema of a few keywords. */
  function schemaOf(depth: number): fc.Arbitrary<unknown> {
    if (depth === 0) return fc.oneof(fc.boolean(), fc.record({ type }), fc.record({ const: value }))
    const inner = schemaOf(depth - 1)
    const applied = ['contains', 'items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else']
    const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
      ...Object.fromEntries(applied.map((keyword) => [keyword, inner])),
      ...Object.fromEntries(['prefixItems', 'allOf', 'anyOf', 'oneOf'].map((keyword) => [keyword, some(inner)])),
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1 })),
      enum: some(value),
      const: value,
      pattern: fc.constantFrom('a', '^a$', 'a+b', '[^a]', '^\\S?$', '^.{1,2}$'),
      ...Object.fromEntries(limits.map((keyword) => [keyword, limit])),
      ...Object.fromEntries(sizes.map((keyword) => [keyword, size])),
      multipleOf: fc.constantFrom(0.5, 1, 2, 3),
      uniqueItems: fc.boolean(),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      properties: named(inner),
      patternProperties: fc.dictionary(fc.constantFrom('a', '^b', 'h$'), inner, { maxKeys: 2 }),
      dependentRequired: named(fc.uniqueArray(name, { maxLength: 2 })),
      dependentSchemas: named(inner),
      $ref: fc.constantFrom('#/$defs/one', '#/$defs/other'),
    }
    const groups = [
      ['if', 'then', 'else'],
      ['contains', 'minContains', 'maxContains'],
      ['prefixItems', 'items'],
    ]
    const chosen = fc.oneof(
      fc.uniqueArray(fc.constantFrom(...Object.keys(keywords)), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...groups),
      fc.constant(['properties', 'patternProperties', 'additionalProperties']),
    )
    return chosen.chain((names) => fc.record(Object.fromEntries(names.map((each) => [each, keywords[each] ?? inner]))))
  }

  test('is ours, whatever the schema and the value', () => {
    const defs = { one: { type: ['string', 'array'] }, other: { properties: { a: { $ref: '#/$defs/one' } } } }
    fc.assert(
      fc.property(schemaOf(2), fc.array(value, { minLength: 3, maxLength: 6 }), (own, values) => {
        const whole = JSON.parse(JSON.stringify({ ...(own as object), $defs: defs })) as JsonSchema
        // The other one lets an empty list pass where both stand together.
        fc.pre(!/"prefixItems".*"contains"|"contains".*"prefixItems"/.test(JSON.stringify(whole)))
        const validate = ajv.compile(whole)
        for (const item of values) {
          const data: unknown = JSON.parse(JSON.stringify(item))
          expect(verdict(whole, data), JSON.stringify([whole, data])).toBe(validate(data))
        }
        ajv.removeSchema(whole)
      }),
      { numRuns: 200 },
    )
  })
})

describe('the lists', () => {
  const group = (schema: JsonSchema | boolean, data: unknown, valid: boolean): Group => ({
    description: 'a group',
    schema,
    tests: [{ description: 'a value', data, valid }],
  })

  test.each<[string, JsonSchema | boolean]>([
    ['only true or false', true],
    ['an anchor', { $anchor: 'a' }],
    ['a dynamic reference', { $dynamicRef: '#a' }],
    ['what was not evaluated', { items: { unevaluatedItems: false } }],
    ['what was not evaluated, of members', { unevaluatedProperties: false }],
    ['dependencies', { dependencies: { a: ['b'] } }],
    ['a reference to another document', { $ref: 'https://json-schema.org/draft/2020-12/schema' }],
    ['a reference of another base', { $defs: { a: { $id: 'a', items: { $ref: '#/$defs/b' } }, b: {} } }],
    ['such a thing where only a reference leads', { $ref: '#/components/a', components: { a: { $anchor: 'x' } } }],
  ])('have a reason to refuse %s', (_, schema) => {
    expect(verdict(schema, 1)).toEqual(expect.any(String))
    expect(surprises('x.json', group(schema, 1, true))).toEqual([])
  })

  test('do not hide a wrong answer, and no refusal without a reason', () => {
    expect(surprises('x.json', group({ type: 'string' }, 1, true))).toEqual([
      'x.json: a group: a value: false, not true',
    ])
    expect(surprises('x.json', group({ items: 1 }, [1], true))).toHaveLength(1)
    expect(surprises('format.json', group({ format: 'date' }, 'x', true))).toEqual([])
  })
})

test.each<[string, JsonSchema, unknown, boolean]>([
  ['enum and const count both', { enum: [1, 2], const: 2 }, 1, false],
  ['enum and const count both', { enum: [1, 2], const: 2 }, 2, true],
  ['a multiple counts beyond what can be divided', { multipleOf: 0.5 }, 1e308, true],
  ['a multiple counts beyond what can be divided', { multipleOf: 0.123456789 }, 1e308, false],
  ['a time has an offset', { format: 'time' }, '08:30:06.283185Z', true],
  ['a time has an offset', { format: 'time' }, '08:30:06+25:00', false],
  ['a time may lack its offset', { format: 'time' }, '08:30:06', true],
  ['small letters are as good', { format: 'date-time' }, '1963-06-19t08:30:06.283185z', true],
  ['an address may have rare characters', { format: 'email' }, 'te~st@example.com', true],
  ['an `$id` inside is no harm by itself', { properties: { a: { $id: 'a', type: 'string' } } }, { a: 1 }, false],
])('%s: %j, %j', (_, schema, data, valid) => {
  expect(verdict(schema, data)).toBe(valid)
})
