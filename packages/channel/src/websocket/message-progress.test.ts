import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageProgress } from './message-progress.ts'

/** A frame as clients send it, masked with zeros. */
function frame(first: number, length: number): Buffer {
  const size =
    length < 126
      ? Buffer.from([0x80 | length])
      : length < 65_536
        ? Buffer.from([0xfe, length >> 8, length & 0xff])
        : Buffer.from([0xff, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 0xff, length & 0xff])
  return Buffer.concat([Buffer.from([first]), size, Buffer.alloc(4 + length)])
}

const lengths = fc.constantFrom(0, 1, 125, 126, 65_535, 65_536, 100_000)
const pong = frame(0x8a, 5)

/** A message in one piece or several, with pongs between them. */
const message = fc
  .array(lengths, { minLength: 1, maxLength: 4 })
  .map((pieces) =>
    pieces.map((length, index) => frame((index === 0 ? 1 : 0) | (index === pieces.length - 1 ? 0x80 : 0), length)),
  )
  .map((frames) => Buffer.concat(frames.flatMap((bytes, index) => (index === 0 ? [bytes] : [pong, bytes]))))

test('the progress knows where messages end, however their bytes come', () => {
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 70_000 })),
      (messages, sizes) => {
        const progress = new MessageProgress()
        const ids = new Set<number>()
        for (const bytes of messages) {
          for (let from = 0; from < bytes.length;) {
            const to = Math.min(from + (sizes.next().value ?? 1), bytes.length)
            progress.take(bytes.subarray(from, to))
            from = to
            const id = progress.unfinished
            expect(id === undefined).toBe(from === bytes.length)
            if (id !== undefined) ids.add(id)
          }
        }
        expect(ids.size).toBeLessThanOrEqual(messages.length)
      },
    ),
    { numRuns: 50 },
  )
})

test('a message that is sent without an end stays the same one, whatever comes in between', () => {
  const progress = new MessageProgress()
  progress.take(frame(0x01, 1))
  const { unfinished } = progress
  expect(unfinished).toBeDefined()
  for (let count = 0; count < 3; count++) {
    progress.take(pong)
    progress.take(frame(0x00, 1))
    expect(progress.unfinished).toBe(unfinished)
  }
  progress.take(frame(0x80, 1))
  expect(progress.unfinished).toBeUndefined()
  progress.take(frame(0x01, 1))
  expect(progress.unfinished).not.toBe(unfinished)
})
