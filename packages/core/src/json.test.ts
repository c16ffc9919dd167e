import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentHash, defined, jsonCopy } from './json.ts'

test('jsonCopy gives what JSON gives back, of everything that JSON can write', () => {
  const odd = fc.constantFrom(undefined, NaN, -0, Infinity, () => 1, Symbol('s'), new Date(0), new Map(), /x/)
  const value = fc.oneof(
    fc.anything({ withNullPrototype: true, withSparseArray: true, withDate: true }),
    fc.dictionary(fc.constantFrom('__proto__', 'toJSON', 'a', 'b'), fc.oneof(fc.jsonValue(), odd)),
    fc.array(fc.oneof(fc.jsonValue(), odd)),
  )
  fc.assert(
    fc.property(value, (original) => {
      const text = JSON.stringify(original)
      if (text === undefined) return
      const copy = jsonCopy(original)
      expect(JSON.stringify(copy)).toBe(text)
      expect(copy).toStrictEqual(JSON.parse(text))
    }),
  )
})

test('shares nothing with the original', () => {
  const original = { list: [{ n: 1 }], object: { deep: { n: 1 } } }
  const copy = jsonCopy(original)
  original.list.push({ n: 2 })
  original.object.deep.n = 2
  expect(copy).toEqual({ list: [{ n: 1 }], object: { deep: { n: 1 } } })
})

test('jsonCopy refuses what contains itself, as JSON does', () => {
  const itself: { self?: unknown } = {}
  itself.self = itself
  expect(() => jsonCopy(itself)).toThrow(TypeError)
})

test('a value has the same hash in every version, because logs of before are compared with it', () => {
  expect(contentHash({ name: 'pay', args: { amount: 12.5, to: 'Zoë' } })).toBe('iz32mxcze9')
  expect(contentHash(['a', null, true])).toBe('1nexkmyu5yu')
  expect(contentHash(undefined)).toBe('5bd73v8u9s')
})

test('defined leaves out what is undefined, and nothing else', () => {
  const said = defined({ kept: 1, none: undefined, nothing: null, empty: '', zero: 0, no: false })
  expect(said).toStrictEqual({ kept: 1, nothing: null, empty: '', zero: 0, no: false })
})
