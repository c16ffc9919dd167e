import type { Piece } from '@cool-ai/beach-channel/live'
import type { Frame } from '@cool-ai/beach-core'
import { frameBatch } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import { messageForm } from '../websocket/encode.ts'
import { eventForm } from './encode.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

function part(words: string): Frame {
  const metadata = { partType: 'response' }
  return { kind: 'part', cursor: '7', role: 'agent', partId: 'p', part: { text: words, metadata }, at: 0 }
}

test('whatever kind of frame there may be is an event of that name, and a message', () => {
  const frame = { kind: 'novelty', cursor: '9', seen: ['never'] } as unknown as Frame
  const live = { kind: 'novelty', seen: 'now\nand here' } as unknown as Frame
  expect(text(eventForm.encode(frameBatch([frame, live]), 0).bytes)).toBe(
    'event: novelty\nid: 9\ndata: {"seen":["never"]}\n\nevent: novelty\ndata: {"seen":"now\\nand here"}\n\n',
  )
  const { bytes, next } = messageForm('s', 1).encode(frameBatch([frame, live]), 1)
  expect(JSON.parse(text(bytes))).toEqual(live)
  expect(next).toBeUndefined()
})

test('a batch that many share is encoded once', () => {
  const list = frameBatch([part('a'), part('b')])
  const first = eventForm.encode(list, 0)
  expect(eventForm.encode(list, 0).bytes).toBe(first.bytes)
  expect(first.next).toBeUndefined()
  const form = messageForm('s', 1)
  const messages = [form.encode(list, 0).bytes, form.encode(list, 1).bytes]
  expect(form.encode(list, 0).bytes).toBe(messages[0])
  expect(form.encode(list, 1).bytes).toBe(messages[1])
})

test('a long batch is encoded a piece at a time, and all of it', () => {
  const list = frameBatch(Array.from({ length: 50 }, (_, index) => part(`${index}`.padEnd(20_000, '.'))))
  let place: number | undefined = 0
  let pieces = 0
  let whole = ''
  while (place !== undefined) {
    const { bytes, next }: Piece = eventForm.encode(list, place)
    expect(bytes.byteLength).toBeLessThan(100_000)
    whole += text(bytes)
    place = next
    pieces++
  }
  expect(pieces).toBeGreaterThan(10)
  expect([...whole.matchAll(/"text":"(\d+)\./g)].map((match) => Number(match[1]))).toEqual(
    list.map((_, index) => index),
  )
})
