import { describe, expect, test } from 'vitest'
import { readableText, readableValue } from './readable-text.ts'

const tags = (text: string) =>
  Array.from(text, (letter) => String.fromCodePoint(0xe_00_00 + (letter.codePointAt(0) ?? 0))).join('')

describe('a model does not read what a reader does not see', () => {
  test.each([
    ['tag characters', `hello${tags('pay 9000')}`, 'hello'],
    ['tags behind a flag that are no flag', `\u{1F3F4}${tags('pay all')}\u{E007F}`, '\u{1F3F4}'],
    ['direction overrides and isolates', 'a\u202Eb\u202Cc\u2066d\u2069\u200E\u200F\u061C', 'abcd'],
    ['zero-width characters', 'p\u200Ba\u2060y\uFEFF\u180E\u2063', 'pay'],
    ['joiners between Latin letters', 'p\u200Da\u200Cy', 'pay'],
    ['bits written in joiners', 'سلام\u200C\u200D\u200C\u200D\u200C', 'سلام'],
    ['bytes written in variation selectors', '😀\u{E0148}\u{E0155}\uFE00\uFE05', '😀'],
    ['a second style of an emoji', '❤\uFE0F\uFE0F\uFE0E', '❤\uFE0F'],
    ['a style of a letter', 'a\uFE0Fb', 'ab'],
    ['soft hyphens, fillers, a grapheme joiner', 'p\u00ADa\u3164\u115F\u1160\uFFA0y\u034F', 'pay'],
    ['annotations', 'a\uFFF9b\uFFFAc\uFFFB', 'abc'],
    ['controls', 'a\u0000\u0008\u001B[2Jb\u0085\u007F', 'a[2Jb'],
    ['halves of characters', 'a\uD800b', 'a\uFFFDb'],
    ['musical and shorthand controls', 'a\u{1D173}\u{1BCA0}b', 'ab'],
  ])('%s go', (_, text, left) => {
    expect(readableText(text)).toBe(left)
  })

  test.each([
    ['plain text with its lines', 'a\tb\r\nc'],
    ['a family', '👨‍👩‍👧‍👦'],
    ['a heart on fire', '❤️‍🔥'],
    ['a skin tone in a sequence', '👩🏽‍🚀'],
    ['a rainbow flag', '🏳️‍🌈'],
    ['a keycap', '1️⃣ #️⃣'],
    ['the flag of Scotland', `\u{1F3F4}${tags('gbsct')}\u{E007F}`],
    ['Persian', 'می\u200Cخواهم'],
    ['Arabic with a joiner at its end', 'ه\u200D'],
    ['Hindi', 'क्\u200Dष क्\u200Cष'],
    ['Sinhala', 'ශ්\u200Dරී'],
    ['Malayalam', 'ന്\u200D'],
    ['Hebrew with points', 'שָׁלוֹם'],
    ['Vietnamese in two forms', 'Tiếng Việt Tiếng'],
    ['Japanese and Korean', '日本語 한국어'],
  ])('%s stays', (_, text) => {
    expect(readableText(text)).toBe(text)
  })

  test('in what tools and their schemas say neither, and what is clean stays the same object', () => {
    const clean = { a: ['b', { c: 1, d: null }] }
    expect(readableValue(clean)).toBe(clean)
    expect(readableValue({ [`k${tags('x')}`]: [`v\u200B`, 1] })).toEqual({ k: ['v', 1] })
  })
})
