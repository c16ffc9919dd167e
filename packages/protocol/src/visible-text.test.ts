import { expect, test } from 'vitest'
import { visibleJson, visibleLines, visibleText } from './visible-text.ts'

test.each([
  ['a right-to-left override', 'a\u202Eb', String.raw`a\u{202e}b`],
  ['a zero-width space', 'a\u200Bb', String.raw`a\u{200b}b`],
  ['a tag of plane 14', `a${String.fromCodePoint(0xe0041)}b`, String.raw`a\u{e0041}b`],
  ['a variation selector', 'a\uFE0Fb', String.raw`a\u{fe0f}b`],
  ['a Hangul filler', 'a\u3164\u115F\u1160\uFFA0b', String.raw`a\u{3164}\u{115f}\u{1160}\u{ffa0}b`],
  ['a Braille blank', 'a\u2800b', String.raw`a\u{2800}b`],
  ['a space that is none', 'a\u00A0\u2003\u3000b', String.raw`a\u{a0}\u{2003}\u{3000}b`],
  ['a line separator', 'a\u2028b', String.raw`a\u{2028}b`],
  ['a control', 'a\u0000\u001B\u0085b', String.raw`a\u{0}\u{1b}\u{85}b`],
  ['a combining grapheme joiner', 'a\u034Fb', String.raw`a\u{34f}b`],
  ['half a character', 'a\uD800b', String.raw`a\u{d800}b`],
  ['a musical control', `a${String.fromCodePoint(0x1d173)}b`, String.raw`a\u{1d173}b`],
])('%s is written out', (_, text, written) => {
  expect(visibleText(text)).toBe(written)
  expect(visibleLines(text)).toBe(written)
})

test('what can be seen stays', () => {
  const text = 'Zürich – 東京 – عربى – 😀 "x" \\u{202e}'
  expect(visibleText(text)).toBe(text)
  expect(visibleLines(text)).toBe(text)
})

test('line breaks and tabs stay only where there may be lines', () => {
  expect(visibleText('a\n\tb')).toBe(String.raw`a\u{a}\u{9}b`)
  expect(visibleLines('a\n\tb\r\n')).toBe('a\n\tb\\u{d}\n')
})

test('a gap that would hide what follows is told, not shown', () => {
  expect(visibleLines(`a${'\n'.repeat(300)}b`)).toBe('a\n[300 line breaks]\nb')
  expect(visibleLines(`a${' \t\n'.repeat(300)}b`)).toBe('a\n[300 line breaks]\nb')
  expect(visibleLines('a\n\n\nb')).toBe('a\n\n\nb')
  expect(visibleText(`a${' '.repeat(500)}b`)).toBe('a [500 spaces] b')
  expect(visibleText(`a${' '.repeat(40)}b`)).toBe(`a${' '.repeat(40)}b`)
  expect(visibleJson({ to: `a${' '.repeat(500)}b` }, 2_000)).toBe('{"to":"a [500 spaces] b"}')
})
