import { expect, test } from 'vitest'
import { passagesOf } from './passages-of.ts'

test('short paragraphs are one passage, and a heading begins the next', () => {
  const text = '# Handbook\n\n## Returns\n\nWithin 30 days.\n\nUnused only.\n\n## Prices\n\nIn pounds.'
  expect(passagesOf(text)).toEqual([
    '# Handbook\n\n## Returns\n\nWithin 30 days.\n\nUnused only.',
    '## Prices\n\nIn pounds.',
  ])
})

test('a long paragraph is cut at the end of a sentence, and nothing of it is lost', () => {
  const sentence = 'The kettle is returned in its box. '
  const passages = passagesOf(sentence.repeat(100))
  expect(passages.length).toBeGreaterThan(2)
  expect(passages.every((one) => one.endsWith('.') && one.length <= 1_200)).toBe(true)
  expect(passages.join(' ')).toBe(sentence.repeat(100).trim())
})

test('text without spaces is cut between its characters', () => {
  const passages = passagesOf(`a${'😀'.repeat(2_000)}`)
  expect(passages.every((one) => one.isWellFormed())).toBe(true)
  expect(passages.join('')).toBe(`a${'😀'.repeat(2_000)}`)
})

test.each(['', ' \n\n \r\n', '\n'])('%j has no passages', (text) => {
  expect(passagesOf(text)).toEqual([])
})
