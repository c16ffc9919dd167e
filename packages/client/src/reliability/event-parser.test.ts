import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventParser, type ServerEvent } from './event-parser.ts'

const encoder = new TextEncoder()

/** All that the parser says of these pieces. */
function parsed(pieces: readonly (string | Uint8Array)[]): { events: ServerEvent[]; retries: number[] } {
  const events: ServerEvent[] = []
  const retries: number[] = []
  const parser = eventParser({ event: (event) => events.push(event), retry: (ms) => retries.push(ms) })
  for (const piece of pieces) parser.push(typeof piece === 'string' ? encoder.encode(piece) : piece)
  return { events, retries }
}

/** The standard's algorithm on the whole text at once, as literally as possible. */
function reference(bytes: Uint8Array): { events: ServerEvent[]; retries: number[] } {
  const events: ServerEvent[] = []
  const retries: number[] = []
  const lines = new TextDecoder().decode(bytes).match(/[^\r\n]*(?:\r\n|\r|\n)/g) ?? []
  let data = ''
  let type = ''
  let lastEventId = ''
  for (const line of lines.map((text) => text.replace(/[\r\n]+$/, ''))) {
    if (line === '') {
      if (data !== '') events.push({ type: type === '' ? 'message' : type, data: data.replace(/\n$/, ''), lastEventId })
      data = ''
      type = ''
      continue
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'event') type = value
    if (name === 'data') data += `${value}\n`
    if (name === 'id' && !value.includes('\0')) lastEventId = value
    if (name === 'retry' && /^[0-9]+$/.test(value)) retries.push(Number(value))
  }
  return { events, retries }
}

describe('server-sent events', () => {
  test.each<[string, string, ServerEvent[]]>([
    ['a data line', 'data: a\n\n', [{ type: 'message', data: 'a', lastEventId: '' }]],
    ['all fields', 'event: part\nid: 7\ndata: {}\n\n', [{ type: 'part', data: '{}', lastEventId: '7' }]],
    ['several data lines', 'data: a\ndata:\ndata: b\n\n', [{ type: 'message', data: 'a\n\nb', lastEventId: '' }]],
    ['an empty data line', 'data\n\n', [{ type: 'message', data: '', lastEventId: '' }]],
    ['only one space after the colon', 'data:  a\n\n', [{ type: 'message', data: ' a', lastEventId: '' }]],
    ['a comment', ': hello\n\n:\n\n', []],
    ['an event without data', 'event: part\nid: 3\n\n', []],
    ['a byte order mark', '\uFEFFdata: a\n\n', [{ type: 'message', data: 'a', lastEventId: '' }]],
    [
      'a second byte order mark',
      '\uFEFF\uFEFFdata: a\n\ndata: b\n\n',
      [{ type: 'message', data: 'b', lastEventId: '' }],
    ],
    ['carriage returns', 'data: a\rdata: b\r\r', [{ type: 'message', data: 'a\nb', lastEventId: '' }]],
    ['both ends of lines', 'data: a\r\ndata: b\r\n\r\n', [{ type: 'message', data: 'a\nb', lastEventId: '' }]],
    ['an id with a NUL', 'id: a\0\ndata: x\n\n', [{ type: 'message', data: 'x', lastEventId: '' }]],
    ['an event that is not complete', 'data: a\n', []],
  ])('%s', (_what, text, events) => {
    expect(parsed([text]).events).toEqual(events)
    const bytes = encoder.encode(text)
    expect(parsed([...bytes].map((byte) => Uint8Array.of(byte))).events).toEqual(events)
    for (const cut of bytes.keys()) expect(parsed([bytes.subarray(0, cut), bytes.subarray(cut)]).events).toEqual(events)
  })

  test('keep the last id until there is another', () => {
    const { events } = parsed(['id: 1\ndata: a\n\ndata: b\n\nid: 2\n\ndata: c\n\nid\ndata: d\n\n'])
    expect(events.map(({ data, lastEventId }) => [data, lastEventId])).toEqual([
      ['a', '1'],
      ['b', '1'],
      ['c', '2'],
      ['d', ''],
    ])
  })

  test('say when to come back, in digits only', () => {
    expect(parsed(['retry: 1500\n', 'retry: soon\n', 'retry: 1e3\n', 'retry\n']).retries).toEqual([1_500])
  })

  test('are the same as the standard reads them, wherever they are cut', () => {
    const small = ['data', 'id', 'event', 'retry', 'dat', ':', ': ', ' ', 'x', '12', '\uFEFF', '\0', 'é', '🏖']
    const lines = ['\n', '\r', '\r\n', '\n\n', 'data: x\n\n', 'id: 1\n', 'event: part\n']
    const token = fc.constantFrom(...small, ...lines)
    fc.assert(
      fc.property(
        fc.array(token, { maxLength: 60 }).map((tokens) => encoder.encode(tokens.join(''))),
        fc.array(fc.nat(200), { maxLength: 20 }),
        (bytes, cuts) => {
          const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
          const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
          expect(parsed(pieces)).toEqual(reference(bytes))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
