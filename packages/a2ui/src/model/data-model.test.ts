import { expect, test } from 'vitest'
import { valueAt, withValueAt } from './data-model.ts'

const data = { user: { name: 'Ann', 'a/b': { '~': 1 } }, items: [{ n: 1 }, { n: 2 }] }

test.each([
  ['/', data],
  ['', data],
  ['/user/name', 'Ann'],
  ['/user/a~1b/~0', 1],
  ['/items/1/n', 2],
  ['/items/2/n', undefined],
  ['/items/-1', undefined],
  ['/items/length', undefined],
  ['/user/name/length', undefined],
  ['/__proto__', undefined],
  ['/user/toString', undefined],
])('at %s there is %j', (path, value) => {
  expect(valueAt(data, path)).toEqual(value)
})

test.each([
  ['/', 5, 5],
  ['/user/name', 'Bob', { ...data, user: { ...data.user, name: 'Bob' } }],
  ['/items/2', { n: 3 }, { ...data, items: [{ n: 1 }, { n: 2 }, { n: 3 }] }],
  ['/items/0/n', 9, { ...data, items: [{ n: 9 }, { n: 2 }] }],
  ['/user', undefined, { items: data.items }],
  ['/new/list/0/x', 1, { ...data, new: { list: [{ x: 1 }] } }],
])('%s can be set to %j', (path, value, expected) => {
  const before = structuredClone(data)
  expect(withValueAt(data, path, value)).toEqual(expected)
  expect(data).toEqual(before)
})

test.each([
  '/user/name/first',
  '/items/first',
  '/items/1000000',
  '/items/999999',
  '/__proto__/polluted',
  '/a/constructor/b',
])('what leads nowhere changes nothing: %s', (path) => {
  const changed = withValueAt(data, path, 'x') as object
  expect(JSON.stringify(changed)).not.toContain('"x"')
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test('where nothing is yet, there is soon something', () => {
  expect(withValueAt(undefined, '/a/b', 1)).toEqual({ a: { b: 1 } })
})
