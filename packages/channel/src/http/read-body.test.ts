import { expect, test } from 'vitest'
import { readBytes } from './read-body.ts'

/** A request whose body comes in these pieces. */
function request(pieces: readonly Uint8Array[]): Request {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  return new Request('http://127.0.0.1/', { method: 'POST', body, duplex: 'half' } as RequestInit)
}

test.each([[1], [2], [1_000]])('a body of %i pieces comes whole, and its pieces stay as they are', async (count) => {
  const pieces = Array.from({ length: count }, (_, index) => new Uint8Array(index % 17).fill(index))
  const sent = Buffer.concat(pieces)
  expect(Buffer.from(await readBytes(request(pieces), sent.byteLength)).equals(sent)).toBe(true)
  expect(Buffer.concat(pieces).equals(sent)).toBe(true)
})

test('a body that is larger than it may be is refused, in whichever piece that shows', async () => {
  const pieces = [new Uint8Array(10), new Uint8Array(10)]
  await expect(readBytes(request(pieces), 19)).rejects.toMatchObject({ code: 'TOO_LARGE' })
})
