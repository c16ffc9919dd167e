import { expect, test } from 'vitest'
import { isQuickPattern, patternEffort } from './pattern-effort.ts'

test.each([
  ['^\\d{4}-\\d{2}-\\d{2}$', { ways: 1, endless: 0 }],
  ['^[A-Z]{3}$', { ways: 1, endless: 0 }],
  ['^[a-z]+$', { ways: 1, endless: 1 }],
  ['^[^@]+@[^@]+$', { ways: 1, endless: 2 }],
  ['a?b?c?', { ways: 8, endless: 0 }],
  ['^(?:GBP|EUR|USD)$', { ways: 3, endless: 0 }],
  ['(?<year>\\d{4})', { ways: 1, endless: 0 }],
  ['[\\]x]{2,4}', { ways: 3, endless: 0 }],
  ['\\p{L}+', { ways: 1, endless: 1 }],
  ['(?:ab)+', { ways: 1, endless: 1 }],
  ['', { ways: 1, endless: 0 }],
])('%s is plain', (pattern, effort) => {
  expect(patternEffort(pattern)).toEqual(effort)
})

test.each([
  '(a+)+$',
  '(a|a)*$',
  '(?:-[a-z]+)*',
  '(a|aa)+$',
  '(a*)*b',
  '(?=a)b',
  '(?<!a)b',
  '(a)\\1',
  '(?<x>a)\\k<x>',
  `${'(a|a)'.repeat(30)}b`,
  `${'a?'.repeat(40)}${'a'.repeat(40)}`,
  '(a{0,50}){0,50}b',
  '[^](a+)+$]',
  '[](a+)+$]',
  '(',
  'a**',
  'x'.repeat(501),
])('%s is not', (pattern) => {
  expect(patternEffort(pattern)).toBeUndefined()
})

test.each([
  ['^\\+?[0-9]{10,15}$', true],
  ['^[a-z]+$', true],
  ['(\\d{1,3}\\.){3}\\d{1,3}', true],
  ['a?b?c?d?e?f?g+', true],
  ['.*a.*b', false],
  ['(a?){8}a*', false],
  ['(a+)+', false],
  ['(', false],
] as const)('%s is quick: %s', (pattern, isQuick) => {
  expect(isQuickPattern(pattern, 1_000)).toBe(isQuick)
})
