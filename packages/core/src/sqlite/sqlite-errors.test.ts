import { expect, test } from 'vitest'
import { isBusy, isDamage, toStoreError } from './sqlite-errors.ts'

const failed = (errcode: unknown) => Object.assign(new Error('failed'), { errcode })

test.each([
  ['SQLITE_BUSY', 5, 'busy'],
  ['SQLITE_BUSY_SNAPSHOT', 517, 'busy'],
  ['SQLITE_LOCKED', 6, 'busy'],
  ['SQLITE_PROTOCOL', 15, 'busy'],
  ['SQLITE_CORRUPT', 11, 'STORE_DAMAGED'],
  ['SQLITE_NOTADB', 26, 'STORE_DAMAGED'],
  ['SQLITE_PERM', 3, 'STORE_UNAVAILABLE'],
  ['SQLITE_NOMEM', 7, 'STORE_UNAVAILABLE'],
  ['SQLITE_READONLY', 8, 'STORE_UNAVAILABLE'],
  ['SQLITE_IOERR', 10, 'STORE_UNAVAILABLE'],
  ['SQLITE_FULL', 13, 'STORE_UNAVAILABLE'],
  ['SQLITE_CANTOPEN', 14, 'STORE_UNAVAILABLE'],
])('%s is waited for, damage, or a failure of the disk', (_, code, expected) => {
  const error = failed(code)
  expect([isBusy(error), isDamage(error)]).toEqual([expected === 'busy', expected === 'STORE_DAMAGED'])
  if (expected === 'busy') expect(toStoreError(error)).toBe(error)
  else expect(toStoreError(error)).toMatchObject({ code: expected, cause: error })
})

test.each([[failed(1)], [failed(12)], [failed('5')], [new Error('no code')], ['a text'], [undefined]])(
  'an error that is no failure of the file stays as it is: %s',
  (error) => {
    expect([isBusy(error), isDamage(error)]).toEqual([false, false])
    expect(toStoreError(error)).toBe(error)
  },
)
