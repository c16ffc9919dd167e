import { expect, test } from 'vitest'
import { FlatIterator } from './flat-iterator.ts'

/** Items from these lists, and what has happened to them. */
function items(...lists: (readonly string[] | Error)[]) {
  const end = new AbortController()
  let ends = 0
  const next = async () => {
    const list = lists.shift()
    if (list instanceof Error) throw list
    return list
  }
  const all = new FlatIterator(next, end.signal, () => ends++)
  return { all, abort: () => end.abort(), ends: () => ends, left: () => lists.length }
}

async function collected(source: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = []
  for await (const item of source) found.push(item)
  return found
}

test('the iterator gives the items of all lists in order, also after an empty one, and ends once', async () => {
  const { all, ends } = items(['a', 'b'], [], ['c'])
  expect(await collected(all)).toEqual(['a', 'b', 'c'])
  expect(await all.next()).toEqual({ done: true, value: undefined })
  expect(ends()).toBe(1)
})

test('answers calls in their order, also those that do not wait for each other', async () => {
  const { all } = items(['a'], ['b', 'c'])
  const calls = [all.next(), all.next(), all.next(), all.next()]
  expect((await Promise.all(calls)).map(({ value }) => value)).toEqual(['a', 'b', 'c', undefined])
})

test('the iterator gives nothing more once the signal has aborted, not even what is there already', async () => {
  const { all, abort, ends, left } = items(['a', 'b'], ['c'])
  expect((await all.next()).value).toBe('a')
  abort()
  expect((await all.next()).done).toBe(true)
  expect([ends(), left()]).toEqual([1, 1])
})

test('a consumer that leaves before the end fetches no further list', async () => {
  const { all, ends, left } = items(['a', 'b'], ['c'])
  for await (const item of all) if (item === 'a') break
  expect([ends(), left()]).toEqual([1, 1])
  expect((await all.next()).done).toBe(true)
})

test('a list that fails is the end', async () => {
  const { all, ends } = items(['a'], new Error('The store is away.'), ['b'])
  await expect(collected(all)).rejects.toThrow('The store is away.')
  expect(ends()).toBe(1)
  expect((await all.next()).done).toBe(true)
})
