import { describe, expect, test } from 'vitest'
import { fitSegments, plainShapes, segmentsOf } from './segments.ts'

describe('segments', () => {
  test.each([
    ['nothing', '', 'GSM-7', 0, 0],
    ['160 letters', 'a'.repeat(160), 'GSM-7', 160, 1],
    ['161 letters', 'a'.repeat(161), 'GSM-7', 161, 2],
    ['306 letters', 'a'.repeat(306), 'GSM-7', 306, 2],
    ['307 letters', 'a'.repeat(307), 'GSM-7', 307, 3],
    ['letters of the extension table, which count twice', '€'.repeat(80), 'GSM-7', 160, 1],
    ['one more of them', '€'.repeat(81), 'GSM-7', 162, 2],
    // 153 units hold 76 of them, not 76 and a half.
    ['those that would be cut in two', '€'.repeat(153), 'GSM-7', 306, 3],
    ['70 letters of another alphabet', 'д'.repeat(70), 'UCS-2', 70, 1],
    ['71 of them', 'д'.repeat(71), 'UCS-2', 71, 2],
    ['135 of them', 'д'.repeat(135), 'UCS-2', 135, 3],
    ['pictures, which count twice and are not cut', '😀'.repeat(67), 'UCS-2', 134, 3],
    ['one picture among letters', `${'a'.repeat(68)}😀`, 'UCS-2', 70, 1],
  ])('of %s', (_, text, encoding, units, segments) => {
    expect(segmentsOf(text)).toEqual({ encoding, units, segments })
  })

  test('are fewer where typographic characters have another shape', () => {
    const text = `“It’s here…” – ${'a'.repeat(100)}`
    expect(segmentsOf(text).segments).toBe(2)
    expect(segmentsOf(plainShapes(text))).toMatchObject({ encoding: 'GSM-7', segments: 1 })
  })
})

describe('a text that is too long', () => {
  const words = Array.from({ length: 200 }, (_, n) => `word${n}`).join(' ')

  test.each([1, 2, 6])('is cut at a word’s end to %i segments, with what comes after it', (max) => {
    const cut = fitSegments(words, '... https://x.example', max)
    expect(segmentsOf(cut).segments).toBe(max)
    expect(cut).toMatch(/word\d+\.\.\. https:\/\/x\.example$/)
    expect(words).toContain(`${cut.slice(0, cut.indexOf('...'))} `)
  })

  test('is left as it is when it fits', () => {
    expect(fitSegments('short', '', 1)).toBe('short')
  })

  test('is never cut inside a character', () => {
    expect(fitSegments('😀'.repeat(100), '', 1)).toBe('😀'.repeat(35))
  })
})
