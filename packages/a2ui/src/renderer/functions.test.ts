import { expect, test } from 'vitest'
import { matches } from './functions.ts'

test.each([
  [String.raw`^\+?[0-9]{10,15}$`, '+4915112345678', true],
  ['^[0-9]{5}$', '1234', false],
  ['(foo|bar)-[a-z]+', 'bar-x', true],
  ['^(ab)+$', 'abab', true],
])('%s matches %s: %s', (pattern, value, result) => {
  expect(matches(pattern, value)).toBe(result)
})

test.each([
  '(a+)+$',
  '(a?){30}a{30}',
  '(.*a){12}',
  '.*a.*b.*c',
  '[^](a+)+$]',
  '(?=(a+))a*b',
  '(a|aa)+$',
  '([a-z]+)*x',
  '((a+)b?)*c',
  '(a{1,9}){1,9}',
  '(?:x*)*',
  'a'.repeat(600),
  '(',
])('%s is refused, at once', (pattern) => {
  expect(matches(pattern, `${'a'.repeat(60)}!`)).toEqual({ problem: expect.any(String) as string })
})
