import { expect, test } from 'vitest'
import { answerOf, toolShowOf } from './answer.ts'

const messages = [{ version: 'v0.9', createSurface: { surfaceId: 's1', catalogId: 'c' } }]
const actions = {
  SEND: { tool: 'send', arguments: { id: 'x', form: 'kept' }, contextAs: 'form' },
  LOOK: { tool: 'look' },
}
const shown = { messages, actions, problem: 'Too late.', note: 'Sent.' }
const meta = { 'cool-ai.beach/shown': shown, 'cool-ai.beach/conversationId': 'conv_1' }

test('what a tool shows is read next to its result', () => {
  const read = toolShowOf({ _meta: meta })
  expect(read).toMatchObject({
    messages,
    surfaceIds: ['s1'],
    problem: 'Too late.',
    note: 'Sent.',
    conversationId: 'conv_1',
  })
  expect(read?.callFor({ name: 'SEND', context: { a: 1 } })).toEqual({
    tool: 'send',
    args: { id: 'x', form: { a: 1 } },
  })
  expect(read?.callFor({ name: 'LOOK', context: { a: 1 } })).toEqual({ tool: 'look', args: {} })
})

test.each(['other', 'approval.decide', 'constructor', '__proto__', 'toString'])(
  'the action “%s”, which the tool has not named, calls nothing',
  (name) => {
    expect(() => toolShowOf({ _meta: meta })?.callFor({ name, context: {} })).toThrow('cannot do that')
  },
)

test('what models can write shows nothing of a tool', () => {
  expect(toolShowOf({ structuredContent: { 'cool-ai.beach/shown': shown, _meta: meta } })).toBeUndefined()
  expect(toolShowOf({ _meta: { 'cool-ai.beach/shown': 'text' } })).toBeUndefined()
})

test('a surface that came in words, because its catalog is not known here, is words', () => {
  const part = (partType: string, content: object) => ({ ...content, metadata: { partType } })
  const surface = part('a2ui-surface', { data: messages, text: 'Not these' })
  const parts = [part('a2ui-surface', { text: 'Two berths' }), surface, part('response', { text: 'Here.' })]
  expect(answerOf({ structuredContent: { conversationId: 'c', parts } })).toMatchObject({
    surfaces: [surface],
    texts: ['Two berths', 'Here.'],
  })
})
