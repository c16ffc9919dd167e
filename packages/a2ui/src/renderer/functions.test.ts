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

test.each(['(a+)+$', '(a?){30}a{30}b', '(.*a){61}', '.*a.*b.*c', '(a|aa)+$', '([a-z]+)*x', '((a+)b?)*c'])(
  '%s is matched, at once',
  (pattern) => expect(matches(pattern, `${'a'.repeat(60)}!`)).toBe(false),
)

test.each([
  ['(?=(a+))a*b', 'it looks ahead or back, or changes flags'],
  ['(a)\\1', 'it refers back to a group'],
  ['(a{1,50}){1,50}', 'it repeats too much'],
  ['a'.repeat(1_100), 'it repeats too much'],
  ['(', 'it is not a regular expression'],
])('%s is refused, at once', (pattern, why) => {
  const problem = `The pattern ${pattern.slice(0, 80)} was not checked: ${why}.`
  expect(matches(pattern, `${'a'.repeat(60)}!`)).toEqual({ problem })
})

test('a long text is not looked at', () => {
  expect(matches('a', 'a'.repeat(1_001))).toMatchObject({ problem: expect.stringContaining('too long') as string })
})
