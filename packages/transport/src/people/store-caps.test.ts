import { simulatedRuntime, type Store } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { hourMs, StoreCaps } from './store-caps.ts'

function keyStore() {
  const entries = new Map<string, string>()
  const store = {
    bind: async (key: string, value: string) => entries.set(key, value).get(key) ?? value,
    unbind: async (key: string) => void entries.delete(key),
    list: async (prefix: string, _after: undefined, limit: number) =>
      [...entries]
        .map(([key, value]) => ({ key, value }))
        .filter(({ key }) => key.startsWith(prefix))
        .toSorted((one, other) => (one.key < other.key ? -1 : 1))
        .slice(0, limit),
  }
  return { entries, store: store as unknown as Store }
}

test('a cap holds over restarts, counts a name once, writes nothing when it is full, and keeps no past window', async () => {
  const { clock } = simulatedRuntime()
  const { entries, store } = keyStore()
  const caps = () => new StoreCaps(store, 'caps:', clock)
  const cap = { what: 'mail to anna', most: 2, windowMs: hourMs }
  expect(await caps().count('a', [cap])).toBe('new')
  expect(await caps().count('a', [cap])).toBe('again')
  expect(await caps().count('b', [cap])).toBe('new')
  expect(await caps().count('c', [{ ...cap, what: 'in all', most: 9 }, cap])).toEqual({ full: cap })
  expect(await caps().count('b', [cap])).toBe('again')
  expect(entries.size).toBe(2)
  await clock.advance(hourMs)
  expect(await caps().count('c', [cap])).toBe('new')
  expect(entries.size).toBe(1)
})
