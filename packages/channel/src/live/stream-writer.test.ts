import { SimulatedClock, type BeachError } from '@cool-ai/beach-core'
import type { Watch } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import { WebOutlet } from './event-stream.ts'
import { Heartbeats, StreamWriter, type Outlet, type StreamForm, type StreamWriterOptions } from './stream-writer.ts'

type Texts = readonly string[]

const encoder = new TextEncoder()
const form: StreamForm<Texts> = {
  opening: encoder.encode('open\n'),
  heartbeat: encoder.encode('beat\n'),
  encode: (texts, from) => ({
    bytes: encoder.encode(`${texts[from]}\n`),
    next: from + 1 < texts.length ? from + 1 : undefined,
  }),
}

/** A reader's side that has room for so many bytes. */
class Pipe implements Outlet {
  text = ''
  room = Infinity
  closed = false
  dropped: string | undefined

  write(bytes: Uint8Array): boolean {
    this.text += new TextDecoder().decode(bytes)
    this.room -= bytes.byteLength
    return this.room > 0
  }

  close(): void {
    this.closed = true
  }

  drop({ code }: BeachError): void {
    this.dropped = code
  }
}

/** A stream on a simulated clock, and a watch that says what was asked of it. */
function open(options: Partial<StreamWriterOptions<Texts>> = {}) {
  const clock = new SimulatedClock()
  const asked: string[] = []
  const watch: Watch = { resume: () => asked.push('resume'), stop: () => asked.push('stop') }
  const heartbeats = new Heartbeats(clock, 1_000)
  const stream = new StreamWriter({ form, heartbeats, onEnd: () => asked.push('ended'), ...options })
  const pipe = new Pipe()
  return { clock, asked, watch, stream, pipe }
}

test('a stream begins with a comment and asks for frames, which it sends in the order in which they come', () => {
  const { stream, pipe, watch, asked } = open()
  stream.open(pipe, watch)
  expect(pipe.text).toBe('open\n')
  expect(asked).toEqual(['resume'])
  pipe.text = ''
  expect(stream.frames(['a', 'b'])).toBe(true)
  expect(pipe.text).toBe('a\nb\n')
})

test('a stream sends a batch in pieces, as fast as the reader takes them, and then asks for more', () => {
  const { stream, pipe, watch, asked } = open()
  stream.open(pipe, watch)
  pipe.text = ''
  pipe.room = 1
  expect(stream.frames(['a', 'b', 'c'])).toBe(false)
  for (const text of ['a\n', 'a\nb\n', 'a\nb\nc\n']) {
    expect(pipe.text).toBe(text)
    expect(asked).toEqual(['resume'])
    pipe.room = 1
    stream.drained()
  }
  expect(asked).toEqual(['resume', 'resume'])
  expect(pipe.text).toBe('a\nb\nc\n')
})

test('a stream waits with later frames until what an earlier one needs has come', async () => {
  let link = (_: Texts) => {}
  const prepare = (texts: Texts) => (texts.length === 1 ? new Promise<Texts>((resolve) => (link = resolve)) : texts)
  const { stream, pipe, watch, asked, clock } = open({ prepare })
  stream.open(pipe, watch)
  expect(stream.frames(['a'])).toBe(false)
  stream.drained()
  expect(asked).toEqual(['resume'])
  link(['linked'])
  await clock.advance(0)
  expect(asked).toEqual(['resume', 'resume'])
  expect(pipe.text).toContain('linked')
})

test('a stream lets go of a reader that takes nothing for two heartbeats', async () => {
  const { stream, pipe, watch, asked, clock } = open()
  stream.open(pipe, watch)
  pipe.room = 0
  stream.frames(['a'])
  await clock.advance(1_500)
  expect(pipe.dropped).toBeUndefined()
  await clock.advance(1_000)
  expect(pipe.dropped).toBe('SLOW_READER')
  stream.gone()
  expect(asked).toEqual(['resume', 'stop', 'ended'])
})

test('a stream says whether its reader has left, or it ended otherwise', async () => {
  const left: boolean[] = []
  const begin = () => {
    const { stream, pipe, watch, clock } = open({ onEnd: (isLeft) => left.push(isLeft) })
    stream.open(pipe, watch)
    return { stream, pipe, clock }
  }
  begin().stream.gone()
  // Nothing arrives from there any more: it has not closed anything itself.
  begin().stream.gone(true)
  const ended = begin().stream
  ended.end()
  ended.gone()
  const slow = begin()
  slow.pipe.room = 0
  slow.stream.frames(['a'])
  await slow.clock.advance(2_500)
  slow.stream.gone()
  expect(left).toEqual([true, false, false, false])
})

test('a stream keeps a reader that has nothing to read alive with heartbeats', async () => {
  const { stream, pipe, watch, clock } = open()
  stream.open(pipe, watch)
  for (let count = 0; count < 3; count++) {
    pipe.text = ''
    await clock.advance(1_000)
    expect(pipe.text).toBe('beat\n')
  }
})

test('a stream does not wait for a reader that did not keep up, but lets one that did read the end', () => {
  const slow = open()
  slow.stream.open(slow.pipe, slow.watch)
  slow.stream.end(new Error('too much'))
  expect(slow.pipe).toMatchObject({ dropped: 'INTERNAL', closed: false })
  const steady = open()
  steady.stream.open(steady.pipe, steady.watch)
  steady.stream.end()
  expect(steady.pipe).toMatchObject({ closed: true })
  expect(steady.asked).toEqual(['resume', 'stop'])
})

test('a stream drops a reader that takes nothing of the end either', async () => {
  const { stream, pipe, watch, clock } = open()
  stream.open(pipe, watch)
  stream.end()
  await clock.advance(2_500)
  expect(pipe.dropped).toBe('SLOW_READER')
})

test('closes at once when the session had no more before the first read', () => {
  const { stream, pipe, watch, asked } = open()
  stream.end()
  stream.open(pipe, watch)
  expect(pipe.closed).toBe(true)
  expect(asked).toEqual([])
})

test('through a Web stream it pulls, and ends with its reader or with the request', async () => {
  const { stream, watch, asked } = open()
  const outlet = new WebOutlet(stream, new AbortController().signal)
  stream.open(outlet, watch)
  const reader = outlet.body.getReader()
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toContain('open')
  expect(stream.frames(['x'.repeat(100_000)])).toBe(false)
  const before = asked.length
  await reader.read()
  expect(asked.length).toBeGreaterThan(before)
  await reader.cancel()
  expect(asked.slice(-2)).toEqual(['stop', 'ended'])

  const other = open()
  const gone = new AbortController()
  const web = new WebOutlet(other.stream, gone.signal)
  other.stream.open(web, other.watch)
  gone.abort()
  expect(other.asked.slice(-2)).toEqual(['stop', 'ended'])
})

test('a Web reader that stalls sees that it did not keep up', async () => {
  const { stream, watch, clock } = open()
  const outlet = new WebOutlet(stream, new AbortController().signal)
  stream.open(outlet, watch)
  stream.frames(['x'.repeat(100_000)])
  const reader = outlet.body.getReader()
  await clock.advance(2_500)
  await expect(reader.closed).rejects.toThrow(/keep up/)
})
