import { expect, test } from 'vitest'
import { parseRunInput } from './run-input.ts'
import { statePatch } from './state-patch.ts'

const base = { threadId: 't', runId: 'r', messages: [] }

test('what earlier clients write is read as 1.0 has it, and given back as it was', () => {
  const content = [
    { type: 'binary', mimeType: 'image/png', data: 'aGk=', filename: 'a.png' },
    { type: 'binary', mimeType: 'application/pdf', url: 'https://example.com/a.pdf' },
    { type: 'binary', mimeType: 'audio/mpeg', id: 'file-1' },
  ]
  const messages = [{ id: 'm', role: 'user', content }]
  const input = parseRunInput({
    ...base,
    messages,
    forwardedProps: null,
    resume: [{ interruptId: 'i', status: 'cancelled', payload: null }],
  })
  expect(input.messages).toEqual([
    {
      id: 'm',
      role: 'user',
      content: [
        {
          type: 'image',
          source: { type: 'data', value: 'aGk=', mimeType: 'image/png' },
          metadata: { filename: 'a.png' },
        },
        { type: 'document', source: { type: 'url', value: 'https://example.com/a.pdf', mimeType: 'application/pdf' } },
        { type: 'audio', source: { type: 'file', value: 'file-1', mimeType: 'audio/mpeg' } },
      ],
    },
  ])
  expect(input.sent).toEqual(messages)
  expect(input.resume).toEqual([{ interruptId: 'i', status: 'cancelled' }])
})

test('a binary part that has nothing in it is refused', () => {
  const messages = [{ id: 'm', role: 'user', content: [{ type: 'binary', mimeType: 'image/png' }] }]
  expect(() => parseRunInput({ ...base, messages })).toThrow(/messages\.0\.content/)
})

test.each([
  ['messages', { messages: Array(1_001).fill(0) }],
  ['tools', { tools: Array(1_001).fill(0) }],
  ['context', { context: Array(101).fill(0) }],
  ['resume', { resume: Array(101).fill(0) }],
  ['parts', { messages: [{ id: 'm', role: 'user', content: Array(1_001).fill(0) }] }],
  ['calls', { messages: [{ id: 'm', role: 'assistant', toolCalls: Array(1_001).fill(0) }] }],
])('a run with more of anything than a run needs is refused by its number: %s', (_, members) => {
  expect(() => parseRunInput({ ...base, ...members })).toThrow(/at most 1?\d{2,3}0/)
})

test('a patch leads from one state to the other', () => {
  expect(statePatch({ a: '1', b: '2', 'c/d': '3' }, { b: '3', 'e~f': '4', 'c/d': '3' })).toEqual([
    { op: 'remove', path: '/coordinates/a' },
    { op: 'replace', path: '/coordinates/b', value: '3' },
    { op: 'add', path: '/coordinates/e~0f', value: '4' },
  ])
  expect(statePatch({ a: '1' }, { a: '1' })).toEqual([])
})
