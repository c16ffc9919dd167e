import { expect, test } from 'vitest'
import { contentHash } from './content-hash.ts'

test('a value has the same hash in every version, because logs of before are compared with it', () => {
  expect(contentHash({ name: 'pay', args: { amount: 12.5, to: 'Zoë' } })).toBe('iz32mxcze9')
  expect(contentHash(['a', null, true])).toBe('1nexkmyu5yu')
  expect(contentHash(undefined)).toBe('5bd73v8u9s')
})
