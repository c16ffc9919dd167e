import { assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { contentLine, textValue } from './content-line.ts'
import { unescaped, unfolded } from './read-calendar.test-helper.ts'

test('a short property is one line', () => {
  expect(contentLine('VERSION', '2.0')).toBe('VERSION:2.0\r\n')
})

test('a line of 75 octets is whole, and one of 76 is folded with a space', () => {
  expect(contentLine('X', 'a'.repeat(73))).toBe(`X:${'a'.repeat(73)}\r\n`)
  expect(contentLine('X', 'a'.repeat(74))).toBe(`X:${'a'.repeat(73)}\r\n a\r\n`)
})

test('characters of several octets are never cut', () => {
  const line = contentLine('SUMMARY', '🏖️é中'.repeat(40))
  for (const piece of line.split('\r\n')) {
    expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(75)
    expect(piece.isWellFormed()).toBe(true)
  }
})

test('what has a meaning in iCalendar is escaped', () => {
  expect(textValue('a,b;c\\d\ne\r\nf\rg')).toBe('a\\,b\\;c\\\\d\\ne\\nf\\ng')
  expect(textValue('be\u0000ll\u0007\u007F\ttab')).toBe('bell\ttab')
  expect(textValue('half \ud83c of a pair')).toBe('half \ufffd of a pair')
})

test('no text can begin a property of its own', () => {
  const line = contentLine('SUMMARY', textValue('x\r\nEND:VEVENT\r\nBEGIN:VALARM'))
  expect(line.split('\r\n')).toHaveLength(2)
})

test('any text comes back as it was, from lines of at most 75 octets', () => {
  assert(
    property(string({ unit: 'binary', maxLength: 400 }), (text) => {
      const line = contentLine('DESCRIPTION', textValue(text))
      expect(line.endsWith('\r\n')).toBe(true)
      for (const piece of line.slice(0, -2).split('\r\n')) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(75)
      const ends = text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
      const allowed = Array.from(ends)
        .filter((character) => /[\t\n]|\P{Cc}|[\u0080-\u009F]/u.test(character))
        .join('')
      expect(unescaped(unfolded(line).slice('DESCRIPTION:'.length, -2))).toBe(allowed)
    }),
  )
})
