import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { rowsAround } from './rows-around.ts'

/** The keys that are read of a table in which some rows cannot be read. */
function readAround(keys: readonly (string | number)[], unreadable: readonly (string | number)[]) {
  const db = new DatabaseSync(':memory:')
  db.function('checked', (key) => {
    if (unreadable.includes(key as string)) throw new Error('damaged')
    return key
  })
  const name = typeof keys[0] === 'number' ? 'rowid' : 'key'
  db.exec(`CREATE TABLE kept (key PRIMARY KEY) WITHOUT ROWID`)
  db.exec(`CREATE VIEW seen AS SELECT key AS ${name}, checked(key) AS read FROM kept`)
  for (const key of keys) db.prepare('INSERT INTO kept (key) VALUES (?)').run(key)
  const found = new Set<unknown>()
  const isWhole = rowsAround(db, { name: 'seen', key: [name] }, ({ read }) => found.add(read))
  db.close()
  return { isWhole, found: [...found] }
}

const names = ['a', 'b', 'ba', 'bb', 'bc', 'bd', 'c', 'caa', 'cab', 'cac', 'cad', 'cae', 'd']

test.each([
  ['none', names, []],
  ['one in the middle', names, ['bb']],
  ['some that have readable ones between them', names, ['b', 'bc', 'cab', 'cae']],
  ['some that begin in the same way', names, ['caa', 'cad']],
  ['the first and the last', names, ['a', 'd']],
  ['numbers', [1, 2, 3, 10, 11, 12, 100, 1_000], [2, 11, 100]],
  ['the first and the last of numbers', [1, 2, 3, 10, 11, 12], [1, 12]],
])('all other rows are read when unreadable are: %s', (_, keys, unreadable) => {
  const { isWhole, found } = readAround(keys, unreadable)
  expect(isWhole).toBe(unreadable.length === 0)
  expect(new Set(found)).toEqual(new Set(keys.filter((key) => !(unreadable as unknown[]).includes(key))))
})
