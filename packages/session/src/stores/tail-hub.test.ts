import type { StoredEvent, TailItem } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import { TailHub } from './tail-hub.ts'

test('an event that is appended while the log is read, and was read as well, is given once', async () => {
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

test('an event that was read from the log is not given again when the store notifies of it later', async () => {
  const hub = new TailHub(async () => [{ seq: 1, data: { n: 1 } }])
  const tail = hub.follow('s', 0)[Symbol.asyncIterator]()
  expect((await tail.next()).value).toHaveLength(1)
  hub.appended('s', 0, 1, [{ n: 1 }])
  hub.appended('s', 1, 2, [{ n: 2 }])
  expect((await tail.next()).value).toEqual([{ seq: 2, data: { n: 2 } }])
  await tail.return?.()
})

test('a follower learns that the log cannot be read, and gets nothing more', async () => {
  const hub = new TailHub(() => Promise.reject(new Error('the disk is away')))
  const tail = hub.follow('s', 0)[Symbol.asyncIterator]()
  await expect(tail.next()).rejects.toThrow('the disk is away')
  expect(await tail.next()).toEqual({ done: true, value: undefined })
})

test('a follower that leaves while the log is read hears nothing of what comes of it', async () => {
  let fail = (_: Error) => {}
  const hub = new TailHub(() => new Promise((_, reject) => (fail = reject)))
  const tail = hub.follow('s', 0)[Symbol.asyncIterator]()
  const next = tail.next()
  await tail.return?.()
  fail(new Error('the disk is away'))
  expect(await next).toEqual({ done: true, value: undefined })
})
