import { describe, expect, test } from 'vitest'
import { foreignSchemaProblems } from './foreign-schema.ts'
import type { JsonSchema } from './json-schema.ts'

const problems = (schema: JsonSchema, value: unknown) => foreignSchemaProblems(schema, value, 'data')

test('a value is checked by a foreign schema', () => {
  const schema = { type: 'object', required: ['code'], properties: { code: { type: 'string', pattern: '^[A-Z]{3}$' } } }
  expect(problems(schema, { code: 'CFU' })).toEqual([])
  expect(problems(schema, { code: 'Corfu' })).toEqual(['data.code must match ^[A-Z]{3}$.'])
})

describe('a schema that means harm', () => {
  test.each(['^(a+)+$', '(a?){18}a{18}b', '(?:a|a)*b', '(x+x+)+y'])(
    'has its pattern tried in linear time: %s',
    (pattern) => {
      const text = `${'a'.repeat(5_000)}!`
      expect(problems({ pattern }, text)).toEqual([`data must match ${pattern}.`])
      expect(
        problems({ patternProperties: { [pattern]: true }, additionalProperties: false }, { [text]: 1 }),
      ).toHaveLength(1)
    },
  )

  test.each(['(?=(a+))a*b', '(a+)\\1b', '((a{0,100}){0,100}){0,100}b'])(
    'has no pattern tried without a linear form: %s',
    (pattern) => {
      const text = `${'a'.repeat(5_000)}!`
      expect(problems({ pattern }, text)).toEqual([])
      expect(problems({ patternProperties: { [pattern]: false }, additionalProperties: false }, { [text]: 1 })).toEqual(
        [],
      )
    },
  )

  test('is refused when a pattern takes too many steps of a long text', () => {
    const pattern = '(?:a?){1000}(?:a?){1000}b'
    expect(() => problems({ pattern }, 'a'.repeat(100_000))).toThrow(/takes too long/)
  })

  // A hundred million steps of a pattern take several seconds, in which the process does nothing else.
  test.each<[string, JsonSchema, unknown]>([
    ['one long text', { pattern: '(?:a{0,30}){0,30}b' }, 'a'.repeat(8_000)],
    ['many texts', { items: { pattern: '(?:a{0,30}){0,30}b' } }, Array.from({ length: 40 }, () => 'a'.repeat(200))],
    [
      'many names',
      { propertyNames: { pattern: '(?:a{0,30}){0,30}b' } },
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${'a'.repeat(200)}${n}`, n])),
    ],
  ])('is refused when its patterns take millions of steps: of %s', (_, schema, value) => {
    expect(() => problems(schema, value)).toThrow(/takes too long/)
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

describe('a large value', () => {
  const many = Array.from({ length: 300_000 }, () => 1)

  test('is not looked at for what is no list, or is shorter', () => {
    const consts = Array.from({ length: 100 }, (_, n) => ({ not: { enum: [n, [n], { n }] } }))
    const looked = counted(many)
    expect(problems({ allOf: consts }, looked.value)).toEqual([])
    expect(looked.count()).toBe(0)
  })

  test('is not gone through by a schema that says nothing of its items', () => {
    const looked = counted(many)
    expect(problems({ allOf: Array.from({ length: 100 }, () => ({ maxItems: 1e6 })) }, looked.value)).toEqual([])
    expect(looked.count()).toBe(0)
  })

  const word = 'x'.repeat(100_000)
  const members = Object.fromEntries(many.map((_, n) => [n, n]))
  test.each<[string, JsonSchema, unknown]>([
    ['whether its items are unique', { uniqueItems: true }, many],
    ['how long it is', { minLength: 1 }, word],
    ['what format it has', { format: 'uri' }, `http://${word}`],
    ['whether it equals an object', { not: { const: { a: 1 } } }, members],
    ['how many members it has', { minProperties: 1 }, members],
    ['whether it matches a pattern', { pattern: 'a*a*b|y|x$' }, 'x'.repeat(20_000)],
    ['whether it equals a long text', { not: { const: word } }, 'y'],
    ['whether it has members', { dependentRequired: { 0: many.slice(0, 5_000).map(String) } }, members],
    ['whether anything is allowed', { not: { allOf: Array.from({ length: 1_000 }, () => true), not: true } }, 1],
  ])('is not asked over and over %s', (_, asked, value) => {
    const often = Array.from({ length: 4_000 }, () => ({ $ref: '#/$defs/a' }))
    expect(() => problems({ allOf: often, $defs: { a: asked } }, value)).toThrow(/takes too long/)
  })

  test('has only so much said of it, whatever it is', () => {
    const falses = { allOf: Array.from({ length: 20_000 }, () => false) }
    expect(
      problems({ allOf: Array.from({ length: 1_000 }, () => ({ $ref: '#/$defs/a' })), $defs: { a: falses } }, 1),
    ).toHaveLength(100)
    expect(problems({ propertyNames: false }, members)).toHaveLength(100)
  })
})

/** A list that counts how often one of its items is looked at. */
function counted(items: readonly unknown[]) {
  let count = 0
  const value = new Proxy(items, {
    get: (target, key, receiver) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) count++
      return Reflect.get(target, key, receiver) as unknown
    },
  })
  return { value, count: () => count }
}

function nested(depth: number): JsonSchema {
  return depth === 0 ? {} : { not: nested(depth - 1) }
}

/** Two ways to go on at each of so many places. */
function choosing(places: number): JsonSchema {
  const next = (place: number) => ({ $ref: `#/$defs/p${place + 1}` })
  const steps = Array.from({ length: places }, (_, place) => [`p${place}`, { anyOf: [next(place), next(place)] }])
  return { $ref: '#/$defs/p0', $defs: { ...Object.fromEntries(steps), [`p${places}`]: { type: 'string' } } }
}
