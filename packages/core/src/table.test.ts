import { expect, test } from 'vitest'
import { withEntry } from './table.ts'

test('a table is copied with its new entry, whatever that is called', () => {
  const before = JSON.parse('{ "a": 1, "__proto__": 2 }') as Record<string, number>
  const after = withEntry(withEntry(before, 'constructor', 3), 'a', 4)
  expect(Object.entries(after)).toEqual([
    ['a', 4],
    ['__proto__', 2],
    ['constructor', 3],
  ])
  expect(before.a).toBe(1)
  expect(JSON.stringify(after)).toBe('{"a":4,"__proto__":2,"constructor":3}')
})
