import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shortened, splitText } from './split-text.ts'

describe('a text in pieces', () => {
  test('is cut between paragraphs rather than lines, and between lines rather than words', () => {
    expect(splitText('one two three\n\nfour five six', 20)).toEqual(['one two three', 'four five six'])
    expect(splitText('one two three\nfour five six', 20)).toEqual(['one two three', 'four five six'])
    expect(splitText('one two three four', 10)).toEqual(['one two', 'three four'])
  })

  test('is cut inside a word that is too long, but never inside a character', () => {
    expect(splitText('a😀😀😀', 4)).toEqual(['a😀', '😀😀'])
  })

  test('is all there, in pieces that are not too long', () => {
    const check = (text: string, max: number) => {
      const pieces = splitText(text, max)
      expect(pieces.every((piece) => piece.length > 0 && piece.length <= max)).toBe(true)
      expect(pieces.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
    }
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 4, max: 50 }), check))
  })
})

test('what is shortened ends with a word', () => {
  expect(shortened('one two three', 20)).toBe('one two three')
  expect(shortened('one two three', 9)).toBe('one two…')
})
