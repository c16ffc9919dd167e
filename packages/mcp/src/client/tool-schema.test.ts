import { expect, test } from 'vitest'
import { toolHash } from './tool-pins.ts'
import { localName, usableSchema, withoutWords } from './tool-schema.ts'

test('names are the server’s and the tool’s, in letters that models accept, and never two the same', () => {
  expect(localName('up', 'echo', new Set())).toBe('up_echo')
  const [one, other] = [localName('up', 'a.b', new Set()), localName('up', 'a/b', new Set())]
  expect(one).toMatch(/^up_a_b_[0-9a-f]{8}$/)
  expect(one).not.toBe(other)
  expect(localName('up', 'x'.repeat(100), new Set())).toHaveLength(64)
  // `a_b` of `up` and `b` of `up_a` would be one name: the second to come gets a mark.
  expect(localName('up', 'a_b', new Set(['up_a_b']))).toMatch(/^up_a_b_[0-9a-f]{8}$/)
})

test.each([
  [undefined],
  [{ type: 'string' }],
  [{ type: 'object', properties: { a: { $ref: 'http://internal/schema.json' } } }],
  [{ type: 'object', properties: { a: { anyOf: [{ $ref: 'file:///etc/passwd' }] } } }],
  [{ type: 'object', description: 'x'.repeat(100_001) }],
])('a schema by which arguments cannot be checked is not taken: %#', (schema) => {
  expect(usableSchema(schema)).toBeUndefined()
})

test('references within a schema are fine', () => {
  const schema = { type: 'object', $defs: { a: { type: 'string' } }, properties: { a: { $ref: '#/$defs/a' } } }
  expect(usableSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema })).toEqual(schema)
})

test('patterns that have no linear form are left out', () => {
  const schema = {
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: '(?=(a+))a*b' },
      code: { type: 'string', pattern: '^[A-Z]{3}$' },
      more: { patternProperties: { '(a+)\\1$': { type: 'string' } }, additionalProperties: false },
      other: { patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
    },
  }
  expect(usableSchema(schema)).toEqual({
    type: 'object',
    properties: { ...schema.properties, pattern: { type: 'string' }, more: {} },
  })
})

test('patterns beyond a limit for the whole schema are left out', () => {
  const names = Array.from({ length: 30 }, (_, n) => `p${n}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', pattern: `(a?){999}${name}` }]))
  const kept = Object.values(usableSchema({ type: 'object', properties })?.properties as object)
  expect(kept.slice(0, 5)).toEqual(Object.values(properties).slice(0, 5))
  expect(kept.slice(15)).toEqual(kept.slice(15).map(() => ({ type: 'string' })))
})

test('words go, and properties that are called like them stay', () => {
  const schema = {
    type: 'object',
    description: 'evil',
    properties: {
      description: { type: 'string', title: 'evil' },
      title: { type: 'array', items: { $comment: 'evil' } },
    },
    required: ['title'],
  }
  expect(withoutWords(schema)).toEqual({
    type: 'object',
    properties: { description: { type: 'string' }, title: { type: 'array', items: {} } },
    required: ['title'],
  })
})

test('the hash of a tool is the same in whatever order it is written, and another when anything else changes', () => {
  const tool = { name: 'a', description: 'b', inputSchema: { type: 'object' as const, properties: { x: {}, y: {} } } }
  const turned = { inputSchema: { properties: { y: {}, x: {} }, type: 'object' as const }, description: 'b', name: 'a' }
  expect(toolHash(turned)).toBe(toolHash(tool))
  expect(toolHash({ ...tool, description: 'c' })).not.toBe(toolHash(tool))
  expect(toolHash({ ...tool, inputSchema: { type: 'object', properties: { x: {} } } })).not.toBe(toolHash(tool))
  expect(toolHash({ ...tool, annotations: { readOnlyHint: true } })).toBe(toolHash(tool))
})
