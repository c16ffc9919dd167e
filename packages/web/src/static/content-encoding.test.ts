import { expect, test } from 'vitest'
import { contentEncoding } from './content-encoding.ts'

test.for([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['BR ; Q=0.2', 'br'],
  ['*', 'br'],
  ['*, br;q=0', 'gzip'],
  ['identity', undefined],
  ['gzip;q=nonsense', undefined],
  ['', undefined],
  [null, undefined],
] as const)('%s is answered with %s', ([accepted, expected]) => {
  expect(contentEncoding(accepted)).toBe(expected)
})
