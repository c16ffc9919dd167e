import { expect, test } from 'vitest'
import { suggestionsOf } from './suggestions.ts'

test('suggestions are one example of each capability, then the second ones, each once and four at most', () => {
  const capabilities = [{ examples: ['a1', 'a2', 'a3'] }, {}, { examples: ['b1', 'a1'] }, { examples: ['c1'] }]
  expect(suggestionsOf(capabilities)).toEqual(['a1', 'b1', 'c1', 'a2'])
  expect(suggestionsOf([])).toEqual([])
})
