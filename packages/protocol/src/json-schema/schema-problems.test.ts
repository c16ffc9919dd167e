import { isBeachError, type BeachError } from '@cool-ai/beach-core'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { checkSchema, type JsonSchema } from './json-schema.ts'
import { schemaProblems } from './schema-problems.ts'

function errorOf(run: () => unknown): BeachError {
  try {
    run()
  } catch (error) {
    if (isBeachError(error)) return error
    throw error
  }
  throw new Error('This was expected to fail.')
}

const problems = (schema: JsonSchema, value: unknown) => schemaProblems(schema, value, 'data')

/** A schema, values that fit it, and values that do not with what is said of them. */
const cases: readonly [JsonSchema, readonly unknown[], readonly [unknown, string][]][] = [
  [{ type: 'string' }, [''], [[1, 'data must be string, not number.']]],
  [{ type: ['string', 'null'] }, ['', null], [[[], 'data must be string or null, not array.']]],
  [{ type: 'integer' }, [1, -0, 1e3], [[1.5, 'data must be integer, not number.']]],
  [{ type: 'number' }, [1, 1.5], [[true, 'data must be number, not boolean.']]],
  [{ type: 'object' }, [{}], [[null, 'data must be object, not null.']]],
  [{ enum: ['a', { b: [1], c: 2 }] }, ['a', { c: 2, b: [1] }], [['b', 'data must be "a" or {"b":[1],"c":2}.']]],
  [{ const: { a: 1 } }, [{ a: 1 }], [[{ a: 2 }, 'data must be {"a":1}.']]],
  [{ const: null }, [null], [[0, 'data must be null.']]],
  [{ required: ['a'] }, [{ a: null }, 'no object'], [[{}, 'data needs "a".']]],
  [{ required: ['toString'] }, [{ toString: 1 }], [[{}, 'data needs "toString".']]],
  [
    { properties: { a: { type: 'string' } } },
    [{}, { a: '', b: 1 }],
    [[{ a: 1 }, 'data.a must be string, not number.']],
  ],
  [
    { properties: { a: true, b: false }, additionalProperties: false },
    [{ a: 1 }],
    [
      [{ c: 1 }, 'data must not have "c".'],
      [{ b: 1 }, 'data must not have "b".'],
    ],
  ],
  [
    { patternProperties: { '^x-': { type: 'number' } }, additionalProperties: { type: 'string' } },
    [{ 'x-a': 1, b: '' }],
    [
      [{ 'x-a': '' }, 'data.x-a must be number, not string.'],
      [{ b: 1 }, 'data.b must be string, not number.'],
    ],
  ],
  [{ propertyNames: { pattern: '^[a-z]+$' } }, [{ a: 1 }], [[{ A: 1 }, 'The name "A" in data must match ^[a-z]+$.']]],
  [
    { minProperties: 1, maxProperties: 2 },
    [{ a: 1 }],
    [
      [{}, 'data must have at least 1 members, not 0.'],
      [{ a: 1, b: 2, c: 3 }, 'data must have at most 2 members, not 3.'],
    ],
  ],
  [{ dependentRequired: { a: ['b'] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [[{ a: 1 }, 'data needs "b".']]],
  [{ dependentSchemas: { a: { required: ['b'] } } }, [{}], [[{ a: 1 }, 'data needs "b".']]],
  [{ items: { type: 'number' } }, [[], [1, 2]], [[[1, '2'], 'data[1] must be number, not string.']]],
  [
    { prefixItems: [{ type: 'number' }], items: { type: 'string' } },
    [[], [1], [1, 'a']],
    [
      [['a'], 'data[0] must be number, not string.'],
      [[1, 2], 'data[1] must be string, not number.'],
    ],
  ],
  [{ items: [{ type: 'number' }], additionalItems: false }, [[1]], [[[1, 2], 'data[1] must not be there.']]],
  [
    { minItems: 1, maxItems: 2 },
    [[1]],
    [
      [[], 'data must have at least 1 items, not 0.'],
      [[1, 2, 3], 'data must have at most 2 items, not 3.'],
    ],
  ],
  [
    { uniqueItems: true },
    [[1, '1', { a: 1 }, { a: 2 }]],
    [
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        'data must not have the same item twice.',
      ],
      [['{"a":1}', 2, '{"a":1}'], 'data must not have the same item twice.'],
    ],
  ],
  [
    { const: [1, { a: [null], b: 'x' }] },
    [[1, { b: 'x', a: [null] }]],
    [
      [[1, { a: [null], b: 'x', c: 1 }], 'data must be [1,{"a":[null],"b":"x"}].'],
      [[1, { a: { 0: null }, b: 'x' }], 'data must be [1,{"a":[null],"b":"x"}].'],
      [[1], 'data must be [1,{"a":[null],"b":"x"}].'],
      ['[1]', 'data must be [1,{"a":[null],"b":"x"}].'],
    ],
  ],
  [
    { contains: { const: 1 }, maxContains: 1 },
    [[1, 2]],
    [
      [[2], 'data must have at least 1 items of a certain form, not 0.'],
      [[1, 1], 'data must have at most 1 items of a certain form, not 2.'],
    ],
  ],
  [
    { minLength: 2, maxLength: 2 },
    ['ab', '😀😀', 7],
    [
      ['😀', 'data must have at least 2 characters, not 1.'],
      ['abc', 'data must have at most 2 characters, not 3.'],
    ],
  ],
  [{ pattern: 'b+' }, ['abc'], [['ac', 'data must match b+.']]],
  [{ format: 'date' }, ['2026-02-28', 5], [['2026-02-30', "data must be of the format 'date'."]]],
  [{ format: 'email' }, ['a@b.example'], [[`a@${'b.'.repeat(500)}example`, "data must be of the format 'email'."]]],
  [{ format: 'uri' }, ['https://example.com/a'], [['not a uri', "data must be of the format 'uri'."]]],
  [{ format: 'something-else' }, ['x'], []],
  [{ minimum: 1 }, [1], [[0, 'data must be at least 1.']]],
  [{ maximum: 1 }, [1], [[2, 'data must be at most 1.']]],
  [{ exclusiveMinimum: 1 }, [1.1], [[1, 'data must be more than 1.']]],
  [{ exclusiveMaximum: 1 }, [0.9], [[1, 'data must be less than 1.']]],
  [{ multipleOf: 0.1 }, [0.3, 0, -1.1], [[0.35, 'data must be a multiple of 0.1.']]],
  [{ allOf: [{ required: ['a'] }, { required: ['b'] }] }, [{ a: 1, b: 1 }], [[{ a: 1 }, 'data needs "b".']]],
  [
    {
      anyOf: [
        { type: 'object', required: ['a', 'b'] },
        { type: 'object', required: ['c'] },
      ],
    },
    [{ c: 1 }, { a: 1, b: 1 }],
    [[{}, 'data needs "c".']],
  ],
  [
    { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    [{ a: 1 }],
    [
      [{ a: 1, b: 1 }, 'data fits 2 forms of which it must fit one.'],
      [{}, 'data needs "a".'],
    ],
  ],
  [{ not: { type: 'string' } }, [1], [['', 'data has a form that is not allowed.']]],
  [
    // As text, since nothing but a promise should have a `then` in code.
    JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}') as JsonSchema,
    [{ a: 1, b: 1 }, { c: 1 }],
    [
      [{ a: 1 }, 'data needs "b".'],
      [{}, 'data needs "c".'],
    ],
  ],
  [
    { properties: { a: { $ref: '#/$defs/x~1y' } }, $defs: { 'x/y': { type: 'number' } } },
    [{ a: 1 }],
    [[{ a: '' }, 'data.a must be number, not string.']],
  ],
  [
    { type: 'object', properties: { next: { $ref: '#' } }, required: ['id'] },
    [{ id: 1, next: { id: 2 } }],
    [[{ id: 1, next: {} }, 'data.next needs "id".']],
  ],
]

describe('a value against a JSON Schema', () => {
  test.each(cases)('%j', (schema, fitting, others) => {
    checkSchema(schema, 'The schema')
    for (const value of fitting) expect(problems(schema, value)).toEqual([])
    for (const [value, problem] of others) expect(problems(schema, value)).toEqual([problem])
  })

  test('is told everything that is wrong', () => {
    const schema = { type: 'object', required: ['a', 'b'], properties: { c: { type: 'number', minimum: 3 } } }
    expect(problems(schema, { c: 1 })).toEqual(['data needs "a".', 'data needs "b".', 'data.c must be at least 3.'])
  })

  test('is judged as zod judges it, by the schema that zod makes of itself', () => {
    const shape = z.object({
      name: z.string().min(2),
      size: z.number().int().nonnegative().optional(),
      tags: z.array(z.enum(['a', 'b'])).max(2),
      more: z.union([z.null(), z.strictObject({ deep: z.boolean() })]),
    })
    const schema = z.toJSONSchema(shape)
    checkSchema(schema, 'The schema')
    const value = fc.record(
      {
        name: fc.oneof(fc.string(), fc.integer()),
        size: fc.oneof(fc.integer({ min: -2 }), fc.double(), fc.constant(null)),
        tags: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
        more: fc.oneof(fc.constantFrom(null, {}, { deep: true }, { deep: 1 }, { deep: true, x: 1 }), fc.string()),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(value, (given) => {
        const json: unknown = JSON.parse(JSON.stringify(given))
        expect(problems(schema, json).length === 0).toBe(shape.safeParse(json).success)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a schema that cannot be enforced', () => {
  test.each([
    [{ type: 'object', unevaluatedProperties: false }, "uses 'unevaluatedProperties', which is not supported."],
    [{ properties: { a: { $dynamicRef: '#x' } } }, "uses '$dynamicRef', which is not supported."],
    [{ anyOf: [{ $ref: '#/$defs/x' }] }, 'refers to "#/$defs/x", which is not in it.'],
    [{ $ref: '#/%' }, 'refers to "#/%", which is not in it.'],
    [{ properties: { a: { $ref: '#/%E0%A4%A' } } }, 'refers to "#/%E0%A4%A", which is not in it.'],
    [{ properties: { a: { pattern: '(' } } }, 'has a pattern that is none: ('],
    [{ patternProperties: { '[': {} } }, 'has a pattern that is none: ['],
    [{ items: 'string' }, 'contains something that is not a JSON Schema.'],
  ])('%j is refused', (schema, problem) => {
    const error = errorOf(() => checkSchema(schema, 'The schema'))
    expect(error).toMatchObject({ code: 'INVALID_CONFIGURATION', message: `The schema ${problem}` })
  })

  test('because it refers to itself for ever ends in an error', () => {
    for (const schema of [{ $ref: '#' }, { anyOf: [{ $ref: '#' }, { $ref: '#' }] }]) {
      expect(errorOf(() => problems(schema, {})).code).toBe('INVALID_CONFIGURATION')
    }
  })

  test('is not mistaken for one that has such words in its values', () => {
    const schema = { properties: { $ref: { type: 'string' } }, default: { $ref: 'x' }, enum: [{ $ref: 'y' }] }
    checkSchema(schema, 'The schema')
    expect(problems(schema, { $ref: 'y' })).toEqual([])
  })
})
