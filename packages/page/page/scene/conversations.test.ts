import { expect, test } from 'vitest'
import { Conversations } from './conversations.ts'

function storage(entries: Record<string, string> = {}) {
  const kept = new Map(Object.entries(entries))
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
}

test('conversations are listed latest first, each once and with its first title', () => {
  const conversations = new Conversations(storage())
  conversations.use('one', ' first\nwords ', 1)
  conversations.use('two', 'x'.repeat(100), 2)
  conversations.use('one', 'other words', 3)
  const list = conversations.list()
  expect(list.map(({ sessionId, at }) => [sessionId, at])).toEqual([
    ['one', 3],
    ['two', 2],
  ])
  expect(list[0]?.title).toBe('first words')
  expect(list[1]?.title).toHaveLength(60)
  conversations.forget('one')
  expect(conversations.list().map(({ sessionId }) => sessionId)).toEqual(['two'])
})

test('no more than fifty are kept', () => {
  const conversations = new Conversations(storage())
  for (let index = 0; index < 60; index++) conversations.use(`s${index}`, 't', index)
  expect(conversations.list()).toHaveLength(50)
  expect(conversations.list()[0]?.sessionId).toBe('s59')
})

test.each(['not json', '{}', '[1, {"sessionId": 1}]'])('a store that holds %s has no conversations', (stored) => {
  expect(new Conversations(storage({ 'beach.conversations': stored })).list()).toEqual([])
})

test('the current one is remembered', () => {
  const kept = storage()
  const conversations = new Conversations(kept)
  expect(conversations.current).toBeUndefined()
  conversations.current = 'one'
  expect(new Conversations(kept).current).toBe('one')
  conversations.current = undefined
  expect(conversations.current).toBeUndefined()
})

test('agents below other paths of the same host have conversations of their own', () => {
  const shared = storage()
  const [first, other] = [new Conversations(shared), new Conversations(shared, '/coffee/')]
  first.current = 'one'
  other.use('two', 'words', 1)
  expect([first.current, other.current]).toEqual(['one', undefined])
  expect([first.list().length, other.list().length]).toEqual([0, 1])
})
