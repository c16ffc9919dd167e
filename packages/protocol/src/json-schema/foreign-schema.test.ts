import { describe, expect, test } from 'vitest'
import { foreignSchemaProblems } from './foreign-schema.ts'
import type { JsonSchema } from './json-schema.ts'

const problems = (schema: JsonSchema, value: unknown) => foreignSchemaProblems(schema, value, 'data')

test('a value is checked by somebody else’s schema', () => {
  const schema = { type: 'object', required: ['code'], properties: { code: { type: 'string', pattern: '^[A-Z]{3}$' } } }
  expect(problems(schema, { code: 'CFU' })).toEqual([])
  expect(problems(schema, { code: 'Corfu' })).toEqual(['data.code must match ^[A-Z]{3}$.'])
})

describe('a schema that means harm', () => {
  test('has no pattern tried that could take for ever, nor any on a long text', () => {
    const text = `${'a'.repeat(50)}!`
    expect(problems({ pattern: '(a+)+$' }, text)).toEqual([])
    expect(problems({ patternProperties: { '(a+)+$': false } }, { [text]: 1 })).toEqual([])
    expect(problems({ pattern: 'x' }, 'a'.repeat(300))).toEqual([])
    expect(problems({ patternProperties: { '(a|a)*$': true }, additionalProperties: false }, { b: 1 })).toEqual([])
  })

  test.each<[string, JsonSchema]>([
    ['is too deep', nested(60)],
    ['is too large', { enum: Array.from({ length: 50_000 }, (_, n) => `choice ${n}`) }],
    ['refers elsewhere', { $ref: 'http://169.254.169.254/' }],
    ['has a pattern that is none', { pattern: '(' }],
    ['uses what cannot be checked', { unevaluatedProperties: false }],
    ['refers to itself', { $ref: '#' }],
    ['chooses without an end', choosing(40)],
  ])('and %s is refused', (_, schema) => {
    expect(() => problems(schema, {})).toThrow(/schema/i)
  })

  test('says at most so much of a value', () => {
    const many = Array.from({ length: 10_000 }, () => 1)
    expect(problems({ items: { type: 'string' } }, many)).toHaveLength(100)
  })

  test('has many choices, and many values are compared with them', () => {
    const schema = { items: { enum: Array.from({ length: 5_000 }, (_, n) => n) } }
    expect(() =>
      problems(
        schema,
        Array.from({ length: 1_000 }, () => 1),
      ),
    ).toThrow(/too long/)
  })
})

function nested(depth: number): JsonSchema {
  return depth === 0 ? {} : { not: nested(depth - 1) }
}

/** Two ways to go on at each of so many places. */
function choosing(places: number): JsonSchema {
  const next = (place: number) => ({ $ref: `#/$defs/p${place + 1}` })
  const steps = Array.from({ length: places }, (_, place) => [`p${place}`, { anyOf: [next(place), next(place)] }])
  return { $ref: '#/$defs/p0', $defs: { ...Object.fromEntries(steps), [`p${places}`]: { type: 'string' } } }
}
