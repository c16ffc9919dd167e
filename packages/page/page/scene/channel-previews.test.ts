import { expect, test } from 'vitest'
import { jsonLines, llmContexts, previewsPath } from './channel-previews.ts'

test('JSON is written as it is, line by line', () => {
  const value = { a: 1, b: [true, { c: 'x' }], d: {}, e: [], f: undefined, g: null }
  expect(
    jsonLines(value)
      .map(({ text }) => text)
      .join('\n'),
  ).toBe(JSON.stringify(value, null, 2))
})

test('what is for models is marked, and nothing else', () => {
  const parts = [
    { text: 'Hello', metadata: { partType: 'response' } },
    { text: 'Analysis', metadata: { partType: 'llm-context' } },
  ]
  const marked = jsonLines({ parts }).filter(({ isForModels }) => isForModels)
  expect(JSON.parse(marked.map(({ text }) => text).join('\n'))).toEqual(parts[1])
})

test('a block of MCP is marked by what it says, since others are for models too', () => {
  const block = (text: string) => ({ type: 'text', text, annotations: { audience: ['assistant'] } })
  const parts = [{ text: 'Analysis', metadata: { partType: 'llm-context' } }]
  const result = { content: [block('{"a":1}'), block('Analysis')], structuredContent: { parts } }
  expect(llmContexts(result)).toEqual(['Analysis'])
  const marked = jsonLines(result).filter(({ isForModels }) => isForModels)
  expect(marked.filter(({ text }) => text.includes('"text": "Analysis"'))).toHaveLength(2)
  expect(marked.some(({ text }) => text.includes(String.raw`{\"a\":1}`))).toBe(false)
})

test('ids in the path are only ids', () => {
  expect(previewsPath('a/b', '../c')).toBe('./sessions/a%2Fb/turns/..%2Fc/previews')
})
