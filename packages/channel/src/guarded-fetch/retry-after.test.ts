import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const now = Date.parse('2026-08-01T12:00:00Z')

test.each([
  ['7', 7_000],
  [' 0 ', 0],
  ['Sat, 01 Aug 2026 12:00:30 GMT', 30_000],
  ['Sat, 01 Aug 2026 11:00:00 GMT', 0],
  ['999999999', 24 * 60 * 60 * 1_000],
  ['', undefined],
  ['soon', undefined],
  ['-5', undefined],
  [null, undefined],
])('%s asks for %s ms', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms)
})
