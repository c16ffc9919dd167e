import { SimulatedClock, type Frame } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { eventStream } from './event-stream.ts'

function part(text: string): Frame {
  const metadata = { partType: 'response' }
  return { kind: 'part', cursor: '1', role: 'agent', partId: 'p', part: { text, metadata }, at: 0 }
}

/** Frames without end, that know whether they were let go. */
function endless(text: string) {
  const seen = { taken: 0, returned: false }
  const frames: AsyncIterator<Frame> = {
    next: async () => {
      seen.taken++
      return { done: false, value: part(text) }
    },
    return: async () => {
      seen.returned = true
      return { done: true, value: undefined }
    },
  }
  return { frames, seen }
}

test('sends a long history in pieces, as fast as the reader takes them', async () => {
  const { frames, seen } = endless('x'.repeat(10_000))
  const stream = eventStream(frames, { clock: new SimulatedClock(), heartbeatMs: 1_000, onEnd: () => {} })
  const reader = stream.getReader()
  for (let count = 0; count < 5; count++) {
    const { value } = await reader.read()
    expect(value?.byteLength).toBeLessThan(100_000)
  }
  expect(seen.taken).toBeLessThan(100)
  await reader.cancel()
  expect(seen.returned).toBe(true)
})

test('lets go of a reader that takes nothing for two heartbeats, and of its frames', async () => {
  const clock = new SimulatedClock()
  const { frames, seen } = endless('x'.repeat(100_000))
  let ended = 0
  const stream = eventStream(frames, { clock, heartbeatMs: 1_000, onEnd: () => ended++ })
  const reader = stream.getReader()
  await clock.advance(2_500)
  expect(ended).toBe(1)
  expect(seen.returned).toBe(true)
  await expect(reader.closed).rejects.toThrow(/keep up/)
})

test('keeps a reader that has nothing to read alive with heartbeats', async () => {
  const clock = new SimulatedClock()
  const frames: AsyncIterator<Frame> = { next: () => new Promise(() => {}) }
  const reader = eventStream(frames, { clock, heartbeatMs: 1_000, onEnd: () => {} }).getReader()
  await reader.read()
  for (let count = 0; count < 3; count++) {
    const beat = reader.read()
    await clock.advance(1_000)
    expect(new TextDecoder().decode((await beat).value)).toBe(':\n\n')
  }
})
