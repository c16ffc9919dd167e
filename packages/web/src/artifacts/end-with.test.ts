import { expect, test } from 'vitest'
import { endWith } from './end-with.ts'

/** A source of so many chunks, and what became of it. */
function source(chunks: number) {
  const seen = { pulled: 0, cancelled: 0 }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.pulled++ < chunks) controller.enqueue(Buffer.from('x'))
        else controller.close()
      },
      cancel: () => void seen.cancelled++,
    },
    { highWaterMark: 0 },
  )
  return { seen, stream }
}

test('all of the source comes through, as fast as it is taken', async () => {
  const stop = new AbortController()
  const { seen, stream } = source(3)
  const reader = endWith(stream, stop.signal).getReader()
  expect(seen.pulled).toBe(0)
  expect(await reader.read()).toMatchObject({ done: false })
  expect(seen.pulled).toBe(1)
  await reader.read()
  await reader.read()
  expect(await reader.read()).toMatchObject({ done: true })
  stop.abort()
  expect(seen.cancelled).toBe(0)
})

test.each(['before', 'between', 'cancel'])('the source is let go of: %s', async (when) => {
  const stop = new AbortController()
  const { seen, stream } = source(3)
  if (when === 'before') stop.abort()
  const reader = endWith(stream, stop.signal).getReader()
  if (when !== 'before') await reader.read()
  if (when === 'between') stop.abort()
  if (when === 'cancel') await reader.cancel()
  expect(await reader.read()).toMatchObject({ done: true })
  expect(seen.cancelled).toBe(1)
  stop.abort()
})

test('a read that waits ends when the signal aborts', async () => {
  const stop = new AbortController()
  let cancelled = false
  const stalled = new ReadableStream<Uint8Array>({
    pull: () => new Promise(() => {}),
    cancel: () => void (cancelled = true),
  })
  const reading = endWith(stalled, stop.signal).getReader().read()
  stop.abort()
  expect(await reading).toMatchObject({ done: true })
  expect(cancelled).toBe(true)
})

test('an error of the source comes through', async () => {
  const stop = new AbortController()
  const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('broken')) })
  await expect(endWith(broken, stop.signal).getReader().read()).rejects.toThrow('broken')
  stop.abort()
})
