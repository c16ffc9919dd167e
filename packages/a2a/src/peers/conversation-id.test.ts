import { expect, test } from 'vitest'
import { fromConversationId, toConversationId } from './conversation-id.ts'

const place = { contextId: 'context-1', taskId: 'task-1' }

test.each([place, { contextId: 'context-1' }])('leads back to the conversation that it was made for', (given) => {
  expect(fromConversationId('sess_a', 'travel', toConversationId('sess_a', 'travel', given))).toEqual(given)
})

test('leads nowhere in another session, at another peer, or when it was changed', () => {
  const id = toConversationId('sess_a', 'travel', place)
  const other = toConversationId('sess_a', 'travel', { contextId: 'context-2', taskId: 'task-1' })
  const mixed = `${other.split('.')[0]}.${id.split('.')[1]}`
  expect(() => fromConversationId('sess_b', 'travel', id)).toThrow('none that the agent has given')
  expect(() => fromConversationId('sess_a', 'bank', id)).toThrow('none that the agent has given')
  for (const wrong of [mixed, '', '.', 'x', `${id}x`, 'bnVsbA.x']) {
    expect(() => fromConversationId('sess_a', 'travel', wrong)).toThrow('none that the agent has given')
  }
})
