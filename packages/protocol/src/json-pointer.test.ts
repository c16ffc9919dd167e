import { expect, test } from 'vitest'
import { isJsonPointer, pointerTo, resolvePointer } from './json-pointer.ts'

const root = { flights: [{ price: 187 }], 'a/b': { '~': 1 }, '': { '': 2 }, nothing: null }

test.each([
  ['', root],
  ['/flights/0/price', 187],
  ['/a~1b/~0', 1],
  ['//', 2],
  ['/nothing', null],
])('%j leads to a value', (pointer, value) => {
  expect(resolvePointer(root, pointer)).toEqual({ found: true, value })
})

test.each([
  'flights',
  '/flights/1',
  '/flights/00',
  '/flights/-1',
  '/flights/length',
  '/toString',
  '/nothing/x',
  '/a~2b',
])('%j leads nowhere', (pointer) => {
  expect(resolvePointer(root, pointer)).toEqual({ found: false })
})

test('a pointer is extended by a key as it is', () => {
  expect(pointerTo('/a', 'x/~y')).toBe('/a/x~1~0y')
  expect(resolvePointer({ 'x/~y': 1 }, pointerTo('', 'x/~y'))).toEqual({ found: true, value: 1 })
  expect(isJsonPointer('/a~')).toBe(false)
})
