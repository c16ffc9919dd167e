import { expect, test } from 'vitest'
import { pieces } from './pieces.ts'

async function* reusing(memory: Buffer): AsyncGenerator<Uint8Array> {
  for (const text of ['one', 'two']) {
    memory.write(text)
    yield memory
  }
}

test('pieces stay as they are though the giver uses its memory again', async () => {
  const given = await Array.fromAsync(pieces(reusing(Buffer.alloc(3)), 100))
  expect(given.map(String)).toEqual(['one', 'two'])
  const mine = Buffer.from('mine')
  const { value } = await pieces(mine, 100).next()
  mine.write('else')
  expect(String(value)).toBe('mine')
})

test('large content comes in pieces of bounded size, all of it', async () => {
  const content = Buffer.alloc(1_000_000, 'beach')
  const given = await Array.fromAsync(pieces(content, 1_000_000))
  expect(Math.max(...given.map((piece) => piece.byteLength))).toBeLessThanOrEqual(256 * 1024)
  expect(Buffer.concat(given).equals(content)).toBe(true)
})
