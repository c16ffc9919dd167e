import type { StoredEvent, TailItem } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import { TailHub } from './tail-hub.ts'

test('what is appended while the log is read, and was read as well, is given once', async () => {
  const pages: ((page: StoredEvent[]) => void)[] = []
  const hub = new TailHub(() => new Promise((resolve) => pages.push(resolve)))
  const tail = hub.follow('s', 0)[Symbol.asyncIterator]()
  const seqs = (items: readonly TailItem[] = []) => items.map((item) => 'seq' in item && item.seq)
  const first = tail.next()
  hub.appended('s', 0, 1, [{ n: 1 }])
  hub.appended('s', 1, 2, [{ n: 2 }])
  pages[0]?.([{ seq: 1, data: { n: 1 } }])
  expect(seqs((await first).value)).toEqual([1])
  expect(seqs((await tail.next()).value)).toEqual([2])
  await tail.return?.()
})
