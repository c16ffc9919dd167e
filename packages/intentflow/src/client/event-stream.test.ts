import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventReader } from './event-stream.ts'

test('events are read however their bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ text: fc.string({ unit: 'grapheme' }), crlf: fc.boolean(), beats: fc.boolean() })),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (given, cuts) => {
        const written = given.map(({ text, crlf, beats }) => {
          const lines = [...(beats ? [': beat'] : []), `data: ${JSON.stringify({ text })}`, 'id: 3', '', '']
          return lines.join(crlf ? '\r\n' : '\n')
        })
        const bytes = new TextEncoder().encode(written.join(''))
        const read: unknown[] = []
        const reader = eventReader((value) => read.push(value))
        for (let at = 0; at < bytes.length;) {
          const { value: length = 1 } = cuts.next()
          reader.push(bytes.subarray(at, at + length))
          at += length
        }
        expect(read).toEqual(given.map(({ text }) => ({ text })))
      },
    ),
  )
})

test('data of several lines is one value, and a comment is none', () => {
  const read: unknown[] = []
  const reader = eventReader((value) => read.push(value))
  reader.push(new TextEncoder().encode(': beat\n\ndata: {"a":\ndata:1}\n\n'))
  expect(read).toEqual([{ a: 1 }])
})
