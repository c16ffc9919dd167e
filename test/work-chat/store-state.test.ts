import { simulatedRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test } from 'vitest'
import { StoreState } from '../../packages/chat/src/store-state.ts'

/** Two processes on one store. */
function states() {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const state = (tenant = 'acme') => new StoreState(store, runtime, tenant)
  return { runtime, store, one: state(), other: state(), state }
}

test('a lock has one holder, over processes, until its time is up', async () => {
  const { runtime, one, other } = states()
  const [first, second] = await Promise.all([one.acquireLock('t', 1_000), other.acquireLock('t', 1_000)])
  expect([first, second].filter((lock) => lock !== null).length).toBe(1)
  await runtime.clock.advance(1_000)
  expect(await other.acquireLock('t', 1_000)).not.toBeNull()
})

test('who has lost a lock can neither extend nor release it', async () => {
  const { runtime, one, other } = states()
  const lost = await one.acquireLock('t', 1_000)
  await runtime.clock.advance(1_000)
  const held = await other.acquireLock('t', 1_000)
  if (lost === null || held === null) throw new Error('The lock was not taken.')
  expect(await one.extendLock(lost, 5_000)).toBe(false)
  await one.releaseLock(lost)
  expect(await one.acquireLock('t', 1_000)).toBeNull()
  expect(await other.extendLock(held, 5_000)).toBe(true)
  await runtime.clock.advance(4_999)
  expect(await one.acquireLock('t', 1_000)).toBeNull()
  await other.releaseLock(held)
  expect(await one.acquireLock('t', 1_000)).not.toBeNull()
})

test('many who want a lock at the same moment: one gets it', async () => {
  const { state } = states()
  const locks = await Promise.all(Array.from({ length: 20 }, async () => state().acquireLock('t', 1_000)))
  expect(locks.filter((lock) => lock !== null).length).toBe(1)
})

test('values have a time to live, and are set once where that is asked', async () => {
  const { runtime, one, other } = states()
  expect(await one.setIfNotExists('k', 1, 1_000)).toBe(true)
  expect(await other.setIfNotExists('k', 2, 1_000)).toBe(false)
  expect(await other.get('k')).toBe(1)
  await runtime.clock.advance(1_000)
  expect(await other.get('k')).toBeNull()
  expect(await other.setIfNotExists('k', 2)).toBe(true)
  await one.set('k', 3)
  expect(await other.get('k')).toBe(3)
  await other.delete('k')
  expect(await one.get('k')).toBeNull()
})

test('a list that several append to loses nothing, and keeps its newest entries', async () => {
  const { state, one } = states()
  await Promise.all(Array.from({ length: 10 }, async (_, n) => state().appendToList('l', n)))
  expect((await one.getList<number>('l')).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  await one.appendToList('l', 10, { maxLength: 2 })
  expect((await one.getList('l')).length).toBe(2)
})

test('a queue gives each entry to one reader, without those that are over', async () => {
  const { runtime, one, other } = states()
  const entry = (id: string, expiresAt: number) => ({ enqueuedAt: 0, expiresAt, message: { id } as never })
  const now = runtime.clock.now()
  await one.enqueue('t', entry('old', now + 10), 5)
  await one.enqueue('t', entry('new', now + 10_000), 5)
  await runtime.clock.advance(10)
  expect(await one.queueDepth('t')).toBe(1)
  const taken = await Promise.all([one.dequeue('t'), other.dequeue('t')])
  expect(taken.flatMap((given) => given?.message.id ?? [])).toEqual(['new'])
})

test('subscriptions are shared, and tenants are apart', async () => {
  const { one, other, state } = states()
  await one.subscribe('t')
  expect(await other.isSubscribed('t')).toBe(true)
  expect(await state('other').isSubscribed('t')).toBe(false)
  await other.unsubscribe('t')
  expect(await one.isSubscribed('t')).toBe(false)
})

test('a cell takes one key of the store, however often it is written', async () => {
  const { store, one } = states()
  for (let n = 0; n < 5; n++) await one.set('k', n)
  expect((await store.list('chat-state:')).length).toBe(1)
})

test.each(['slack:user:U1', 'slack:user-by-name:anna', 'teams:userInfo:1', 'gchat:user:users/1'])(
  'what an adapter looks up about people, such as %s, is in no store, and is looked up again after an hour',
  async (key) => {
    const { runtime, store, one } = states()
    const dayMs = 24 * 60 * 60 * 1_000
    await one.set(key, { displayName: 'Anna', email: 'anna@example.com' }, dayMs)
    expect(await one.get(key)).toMatchObject({ displayName: 'Anna' })
    expect(await store.list('')).toEqual([])
    await runtime.clock.advance(60 * 60 * 1_000)
    expect(await one.get(key)).toBeNull()
    await one.appendToList(key, 'a', { maxLength: 2 })
    for (const name of ['b', 'c']) await one.appendToList(key, name, { maxLength: 2 })
    expect(await one.getList(key)).toEqual(['b', 'c'])
    await one.delete(key)
    expect(await one.getList(key)).toEqual([])
    expect(await store.list('')).toEqual([])
  },
)
