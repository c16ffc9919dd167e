import { expect, test } from 'vitest'
import { parseRange } from './byte-range.ts'

test.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=0-', { start: 0, end: 10 }],
  ['bytes=3-5', { start: 3, end: 6 }],
  ['bytes=9-9', { start: 9, end: 10 }],
  ['bytes=3-99', { start: 3, end: 10 }],
  [`bytes=3-${'9'.repeat(400)}`, { start: 3, end: 10 }],
  ['bytes=-1', { start: 9, end: 10 }],
  ['bytes=-10', { start: 0, end: 10 }],
  ['bytes=-99', { start: 0, end: 10 }],
  ['Bytes=1-2', { start: 1, end: 3 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=10-20', 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
] as const)('of ten bytes, %s asks for %o', (header, expected) => expect(parseRange(header, 10)).toEqual(expected))

test.each([
  null,
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=5-4',
  'bytes=0-1,3-4',
  'bytes=a-b',
  'bytes=1.5-2',
  'bytes=--1',
  'lines=0-1',
  'bytes = 0-1',
])('%j asks for all bytes', (header) => expect(parseRange(header, 10)).toBeUndefined())

test.each(['bytes=0-', 'bytes=0-0', 'bytes=-1'])('of no bytes there is no range: %s', (header) => {
  expect(parseRange(header, 0)).toBe('unsatisfiable')
})
