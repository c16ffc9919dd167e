import { mergeStrategySchema } from './part-schema.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeValue } from './merge.ts'

describe('replace', () => {
  test('keeps the later value', () => {
    expect(mergeValue('replace', { a: 1 }, { b: 2 })).toEqual({ b: 2 })
  })

  test('is associative', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), isAssociative('replace')))
  })
})

describe('append', () => {
  test('makes a list and adds to it', () => {
    expect(mergeValue('append', undefined, { a: 1 })).toEqual([{ a: 1 }])
    expect(mergeValue('append', { a: 1 }, { a: 2 })).toEqual([{ a: 1 }, { a: 2 }])
    expect(mergeValue('append', [1, 2], [3])).toEqual([1, 2, 3])
  })

  test('is associative', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), isAssociative('append')))
  })

  test('leaves what it was given alone', () => {
    const standing = [1]
    const incoming = [2]
    mergeValue('append', standing, incoming)
    expect([standing, incoming]).toEqual([[1], [2]])
  })
})

describe('deep-merge', () => {
  test('joins objects, and takes the later of anything else', () => {
    const standing = { a: { x: 1, y: [1, 2] }, b: 'old', c: { gone: true }, d: 1 }
    const incoming = { a: { y: [3], z: null }, b: 'new', c: 7, e: { f: 1 } }
    expect(mergeValue('deep-merge', standing, incoming)).toEqual({
      a: { x: 1, y: [3], z: null },
      b: 'new',
      c: 7,
      d: 1,
      e: { f: 1 },
    })
    expect(mergeValue('deep-merge', [1], { a: 1 })).toEqual({ a: 1 })
    expect(mergeValue('deep-merge', { a: 1 }, 'text')).toBe('text')
  })

  test('leaves what it was given alone', () => {
    const standing = { a: { b: 1 } }
    const incoming = { a: { c: { d: 1 } } }
    const merged = mergeValue('deep-merge', standing, incoming) as { a: { c: { d: number } } }
    merged.a.c.d = 2
    expect([standing, incoming]).toEqual([{ a: { b: 1 } }, { a: { c: { d: 1 } } }])
  })

  // Associative for data of one shape. Where a value is an object in one part and not in the next, order decides.
  const shaped = fc.record(
    {
      name: fc.string(),
      seats: fc.array(fc.integer()),
      price: fc.record({ amount: fc.integer(), currency: fc.string() }, { requiredKeys: [] }),
      legs: fc.dictionary(fc.constantFrom('out', 'back'), fc.record({ at: fc.integer() }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  )

  test('is associative for data of one shape', () => {
    fc.assert(fc.property(shaped, shaped, shaped, isAssociative('deep-merge')))
  })

  test('of the same data twice is the data', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(mergeValue('deep-merge', value, value)).toEqual(mergeValue('deep-merge', undefined, value))
      }),
    )
  })
})

describe('hostile data', () => {
  const hostile: unknown = JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":1},"b":1}}',
  )

  test.each(mergeStrategySchema.options)('pollutes no prototype by %s', (strategy) => {
    const merged = mergeValue(strategy, { a: { c: 1 } }, hostile) as Record<string, unknown>
    mergeValue(strategy, hostile, { a: { c: 1 } })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(merged)).toBe(Array.isArray(merged) ? Array.prototype : Object.prototype)
  })

  test('leaves deep-merge without any __proto__ of its own', () => {
    const merged = mergeValue('deep-merge', undefined, hostile) as { a: object }
    expect(Object.getOwnPropertyNames(merged)).toEqual(['constructor', 'a'])
    expect(Object.getOwnPropertyNames(merged.a)).toEqual(['b'])
  })

  test('keeps a member that is only called constructor', () => {
    expect(mergeValue('deep-merge', { constructor: 'Ferrari' }, { toString: 1 })).toEqual({
      constructor: 'Ferrari',
      toString: 1,
    })
  })

  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })

  test.each(mergeStrategySchema.options)('that is too deep is refused by %s', (strategy) => {
    expect(mergeValue(strategy, undefined, nested(64))).toBeDefined()
    expect(() => mergeValue(strategy, undefined, nested(65))).toThrow('nested deeper than 64 levels')
    expect(() => mergeValue(strategy, { a: { a: 1 } }, nested(1_000))).toThrow('nested deeper than 64 levels')
  })

  test('that gets deeper by merging is refused', () => {
    const limits = { depth: 3, size: 1_000 }
    expect(mergeValue('deep-merge', { a: { b: 1 } }, { a: { b: { c: 1 } } }, limits)).toEqual({ a: { b: { c: 1 } } })
    expect(() => mergeValue('deep-merge', { a: { b: 1 } }, { a: { b: { c: { d: 1 } } } }, limits)).toThrow(
      'nested deeper than 3 levels',
    )
  })

  test.each(mergeStrategySchema.options)('that is too large is refused by %s', (strategy) => {
    const limits = { depth: 8, size: 100 }
    expect(mergeValue(strategy, undefined, { a: 'x'.repeat(80) }, limits)).toBeDefined()
    expect(() => mergeValue(strategy, undefined, { a: 'x'.repeat(100) }, limits)).toThrow('larger than 100 characters')
  })

  test('that contains itself ends in an error, however it branches', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.a = cyclic
    cyclic.b = cyclic
    for (const strategy of mergeStrategySchema.options) {
      expect(() => mergeValue(strategy, undefined, cyclic)).toThrow(/deeper|larger/)
    }
  })
})

function isAssociative(strategy: 'replace' | 'append' | 'deep-merge') {
  return (a: unknown, b: unknown, c: unknown) => {
    const left = mergeValue(strategy, mergeValue(strategy, a, b), c)
    expect(left).toEqual(mergeValue(strategy, a, mergeValue(strategy, b, c)))
  }
}
