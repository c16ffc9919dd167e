import type { Frame } from '@cool-ai/beach-core'
import { frameBatch, type FrameSink, type Watch } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import { followed } from './followed.ts'

const frame = (turnId: string): Frame => ({ kind: 'retract', turnId, epoch: 1 })
const idsOf = (results: readonly IteratorResult<Frame>[]) =>
  results.map(({ done, value }) => (done === true ? 'end' : value.turnId))

/** A source that hands over frames when the test says so. */
function source(end = new AbortController()) {
  let sink: FrameSink | undefined
  const asked = { resumed: 0, stopped: 0 }
  const watch: Watch = { resume: () => void asked.resumed++, stop: () => void asked.stopped++ }
  const frames = followed(async (given) => {
    sink = given
    return watch
  }, end.signal)[Symbol.asyncIterator]()
  const give = (...ids: readonly string[]) => sink?.frames(frameBatch(ids.map(frame)))
  return { frames, asked, end, give, fail: (error: unknown) => sink?.end(error) }
}

test('frames come in their order to callers that have waited since before', async () => {
  const { frames, give } = source()
  const waiting = Promise.all([frames.next(), frames.next(), frames.next()])
  // Two of the three are there: the third caller wants more.
  expect(give('a', 'b')).toBe(true)
  expect(give('c', 'd')).toBe(false)
  expect(idsOf(await waiting)).toEqual(['a', 'b', 'c'])
  expect(idsOf([await frames.next()])).toEqual(['d'])
})

test('the source is asked for more only when a caller waits', async () => {
  const { frames, give, asked } = source()
  const first = frames.next()
  await Promise.resolve()
  give('a', 'b')
  await first
  await frames.next()
  expect(asked.resumed).toBe(1)
  const third = frames.next()
  expect(asked.resumed).toBe(2)
  give('c')
  expect(idsOf([await third])).toEqual(['c'])
})

test('what was given before a failure comes first, and the failure is told once', async () => {
  const { frames, give, fail } = source()
  const first = frames.next()
  give('a', 'b')
  fail(new Error('It broke.'))
  expect(idsOf([await first, await frames.next()])).toEqual(['a', 'b'])
  await expect(frames.next()).rejects.toThrow('It broke.')
  expect(idsOf([await frames.next()])).toEqual(['end'])
})

describe.each(['abort', 'return'] as const)('%s', (way) => {
  const ended = async ({ frames, end }: ReturnType<typeof source>) => {
    if (way === 'abort') end.abort()
    else await frames.return?.()
  }

  test('ends it for callers that wait, and stops the source', async () => {
    const there = source()
    const { frames, give, asked } = there
    const waiting = Promise.all([frames.next(), frames.next(), frames.next()])
    give('a')
    await Promise.resolve()
    await ended(there)
    expect(idsOf(await waiting)).toEqual(['a', 'end', 'end'])
    expect(asked.stopped).toBe(1)
  })

  test('leaves out what no caller has fetched', async () => {
    const there = source()
    const first = there.frames.next()
    there.give('a', 'b')
    await first
    await ended(there)
    expect(idsOf([await there.frames.next()])).toEqual(['end'])
  })
})

test('a source that opens after the end is stopped', async () => {
  const { frames, asked, end } = source()
  const first = frames.next()
  end.abort()
  expect(idsOf([await first])).toEqual(['end'])
  await Promise.resolve()
  expect(asked).toEqual({ resumed: 0, stopped: 1 })
})

test('a source that cannot be opened fails the first caller', async () => {
  const frames = followed(() => Promise.reject(new Error('No such session.')), new AbortController().signal)
  const iterator = frames[Symbol.asyncIterator]()
  await expect(iterator.next()).rejects.toThrow('No such session.')
  expect(idsOf([await iterator.next()])).toEqual(['end'])
})
