import { simulatedRuntime } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { keyStore } from './key-store.test-helper.ts'
import { hourMs, StoreCaps } from './store-caps.ts'

test('a cap holds over restarts, counts a name once, writes nothing when it is full, and keeps no past window', async () => {
  const { clock } = simulatedRuntime()
  const { entries, store } = keyStore()
  const caps = () => new StoreCaps(store, 'caps:', clock)
  const cap = { what: 'mail to anna', max: 2, windowMs: hourMs }
  expect(await caps().count('a', [cap])).toBe('new')
  expect(await caps().count('a', [cap])).toBe('again')
  expect(await caps().count('b', [cap])).toBe('new')
  expect(await caps().count('c', [{ ...cap, what: 'in all', max: 9 }, cap])).toEqual({ full: cap })
  expect(await caps().count('b', [cap])).toBe('again')
  expect(entries.size).toBe(2)
  await clock.advance(hourMs)
  expect(await caps().count('c', [cap])).toBe('new')
  expect(entries.size).toBe(1)
})
