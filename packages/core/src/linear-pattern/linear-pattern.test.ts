import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linearPattern, type LinearPattern } from './linear-pattern.ts'

function made(source: string): LinearPattern {
  const pattern = linearPattern(source)
  if ('problem' in pattern) throw new Error(`${source} ${pattern.problem}`)
  return pattern
}

/** As JavaScript finds it. */
function native(source: string, text: string): boolean {
  try {
    return new RegExp(source, 'u').test(text)
  } catch {
    return new RegExp(source).test(text)
  }
}

describe('patterns that backtracking takes for ever on', () => {
  const attack = 'a'.repeat(5_000)
  test.each([
    ['(a?){18}a{18}b', attack],
    ['(a+)+$', `${attack}!`],
    ['^(a+)+$', `${attack}!`],
    ['^(a|a)*$', `${attack}!`],
    ['(a|aa)+$', `${attack}!`],
    ['(a*)*b', attack],
    ['^([a-zA-Z]+)*$', `${attack}!`],
    ['(.*a){20}', `${'a'.repeat(19)}${'b'.repeat(2_000)}`],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', attack],
    ['^(\\w+\\s?)*$', `${'word '.repeat(1_000)}!`],
    ['(x+x+)+y', 'x'.repeat(5_000)],
    ['^([0-9]+)*$', `${'1'.repeat(5_000)}x`],
    [`${'a?'.repeat(100)}${'a'.repeat(100)}`, 'a'.repeat(99)],
    ['(?:(?:a{0,20}){0,20})b', attack],
    ['.*.*=.*', 'x'.repeat(5_000)],
    ['^[^@]+@[^@]+\\.[^@]+$', `${'a.'.repeat(2_500)}@`],
    ['(([^"]|"")*")*;', '"'.repeat(5_000)],
    ['\\s+$', `${' '.repeat(5_000)}x`],
    ['^(?:-[a-z]+)*!', '-a'.repeat(2_500)],
    ['((a{1,3}){1,3}){1,3}z', attack],
  ])('%s takes at most a step for each state and character', (source, text) => {
    const pattern = made(source)
    const { isMatch, steps } = pattern.run(text)
    expect(isMatch).toBe(false)
    expect(steps).toBeLessThanOrEqual(pattern.states * (text.length + 1))
  })

  test('none goes on beyond the steps that it is given', () => {
    const pattern = made('(a?){18}a{18}b')
    const { steps } = pattern.run(attack)
    expect(pattern.run(attack, steps).isMatch).toBe(false)
    expect(pattern.run(attack, steps - 1)).toEqual({ isMatch: undefined, steps })
    expect(pattern.run(attack, 10)).toEqual({ isMatch: undefined, steps: 11 })
  })
})

test.each([
  ['(a)\\1', 'refers back to a group'],
  ['(?<x>a)\\k<x>', 'refers back to a group'],
  ['(?=a)b', 'looks ahead or back, or changes flags'],
  ['(?!a)b', 'looks ahead or back, or changes flags'],
  ['(?<=a)b', 'looks ahead or back, or changes flags'],
  ['(?<!a)b', 'looks ahead or back, or changes flags'],
  ['(?i:a)', 'looks ahead or back, or changes flags'],
  ['((a{0,100}){0,100}){0,100}', 'repeats too much'],
  ['a{99999999}', 'repeats too much'],
  ['(?:){99999999}', 'repeats too much'],
  ['(?:|){2,99999999}', 'repeats too much'],
  ['('.repeat(400) + ')'.repeat(400), 'is nested too deep'],
  ['(', 'is not a regular expression'],
  ['a**', 'is not a regular expression'],
  ['x'.repeat(2_001), 'has more than 2000 characters'],
])('%s is refused: it %s', (source, problem) => {
  expect(linearPattern(source)).toEqual({ problem })
})

test.each([
  ['^\\d{4}-\\d{2}-\\d{2}$', ['2026-11-16', '2026-11-1', 'x2026-11-16']],
  ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', ['a@b.cd', 'a@b', '@b.cd', 'a b@c.de']],
  ['^(?:GBP|EUR|USD)$', ['GBP', 'EUR', 'GB', 'GBPEUR']],
  ['^(?<year>\\d{4})$', ['2026', '226']],
  ['\\bcat\\b', ['a cat!', 'concat', 'cat']],
  ['\\Bcat', ['concat', 'cat']],
  ['^.{1,3}$', ['', 'a', 'abc', 'abcd', '\n', '😀😀😀', '😀😀😀😀']],
  ['^\\u{1F600}$', ['😀', 'u']],
  ['^\\uD83D\\uDE00$', ['😀', '\uD83D']],
  ['^\\p{Lu}\\p{L}*$', ['Äpfel', 'äpfel', '1']],
  ['^[\\p{L}\\d _-]+$', ['Zürich 1', 'a/b']],
  ['^[^]$', ['\n', '']],
  ['^[]$', ['', 'a']],
  ['[\\]x]{2}', ['x]', ']', 'xx']],
  ['a{,3}', ['a{,3}', 'aaa']],
  ['^\\/x/$', ['/x/', 'x']],
  ['^\\x41\\cJ\\0$', ['A\n\0', 'A']],
  ['^a\\-b$', ['a-b', 'ab']],
  ['^\\p{$(a\\p{L})$', ['p{', 'ap{L}']],
  ['^\\p{(a\\-\\p{L})$', ['p{a-p{L}', 'p{a-x']],
  ['^a\\-\\u{3}$', ['a-uuu', 'a-\u0003']],
  ['', ['', 'x']],
  ['a|', ['b']],
  ['^(?:a??b)+?$', ['abb', 'ba']],
  ['x*$|^y', ['', 'y', 'z']],
])('%s means what it means in JavaScript', (source, texts) => {
  for (const text of texts) expect([text, made(source).test(text)]).toEqual([text, native(source, text)])
})

test('any small pattern says the same of any small text as JavaScript does', () => {
  const character = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '\\w',
    '\\W',
    '\\d',
    '\\s',
    '^',
    '$',
    '\\b',
    '\\B',
    ' ',
  )
  const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
    pattern: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
    piece: fc.oneof(
      { maxDepth: 3 },
      character,
      fc
        .tuple(tie('pattern'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '{0}'))
        .map(([inner, times]) => `(?:${inner})${times}`),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(${one}|${other})`),
    ),
  }))
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '1', '\n', 'é', '😀'), maxLength: 6 })
  fc.assert(
    fc.property(pattern, text, (source, given) => {
      const found = linearPattern(source)
      if ('problem' in found) return expect(found.problem).toBe('repeats too much')
      expect(found.test(given), `/${source}/ on ${JSON.stringify(given)}`).toBe(native(source, given))
    }),
    { numRuns: 2_000 },
  )
})
