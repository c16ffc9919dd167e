import { SimulatedClock, type BeachError, type Frame } from '@cool-ai/beach-core'
import type { Watch } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import { eventForm } from './encode.ts'
import { WebOutlet } from './web-outlet.ts'
import { FrameStream, type FrameStreamOptions, type Outlet } from '../../../channel/src/live/frame-stream.ts'
import { Heartbeats } from '../../../channel/src/live/heartbeats.ts'

function part(text: string, cursor = '1'): Frame {
  const metadata = { partType: 'response' }
  return { kind: 'part', cursor, role: 'agent', partId: 'p', part: { text, metadata }, at: 0 }
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
function open(options: Partial<FrameStreamOptions> = {}) {
  const clock = new SimulatedClock()
  const asked: string[] = []
  const watch: Watch = { resume: () => asked.push('resume'), stop: () => asked.push('stop') }
  const heartbeats = new Heartbeats(clock, 1_000)
  const stream = new FrameStream({ form: eventForm, heartbeats, onEnd: () => asked.push('ended'), ...options })
  const pipe = new Pipe()
  return { clock, asked, watch, stream, pipe }
}

test('begins with a comment and asks for frames, which it sends in the order in which they come', () => {
  const { stream, pipe, watch, asked } = open()
  stream.open(pipe, watch)
  expect(pipe.text).toBe(': beach\nretry: 1000\n\n')
  expect(asked).toEqual(['resume'])
  pipe.text = ''
  expect(stream.frames([part('a', '1'), part('b', '2')])).toBe(true)
  expect(pipe.text).toMatch(/^event: part\nid: 1\ndata: .*"a".*\n\nevent: part\nid: 2\ndata: .*"b".*\n\n$/)
})

test('sends a long list in pieces, as fast as the reader takes them, and then asks for more', () => {
  const { stream, pipe, watch, asked } = open()
  stream.open(pipe, watch)
  pipe.room = 1
  const texts = Array.from({ length: 30 }, (_, index) => `${index}`.padEnd(10_000, 'x'))
  expect(stream.frames(texts.map((text) => part(text)))).toBe(false)
  for (let count = 0; count < 4; count++) {
    expect(pipe.text.length).toBeLessThan((count + 1) * 80_000)
    expect(asked).toEqual(['resume'])
    pipe.room = 1
    stream.drained()
  }
  stream.drained()
  expect(asked).toEqual(['resume', 'resume'])
  expect([...pipe.text.matchAll(/"text":"(\d+)x/g)].map((match) => match[1])).toEqual(texts.map((_, n) => `${n}`))
})

test('waits with later frames until what an earlier one needs has come', async () => {
  let link = (_: readonly Frame[]) => {}
  const prepare = (frames: readonly Frame[]) =>
    frames.length === 1 ? new Promise<readonly Frame[]>((resolve) => (link = resolve)) : frames
  const { stream, pipe, watch, asked, clock } = open({ prepare })
  stream.open(pipe, watch)
  expect(stream.frames([part('a')])).toBe(false)
  stream.drained()
  expect(asked).toEqual(['resume'])
  link([part('linked')])
  await clock.advance(0)
  expect(asked).toEqual(['resume', 'resume'])
  expect(pipe.text).toContain('"linked"')
})

test('lets go of a reader that takes nothing for two heartbeats', async () => {
  const { stream, pipe, watch, asked, clock } = open()
  stream.open(pipe, watch)
  pipe.room = 0
  stream.frames([part('a')])
  await clock.advance(1_500)
  expect(pipe.dropped).toBeUndefined()
  await clock.advance(1_000)
  expect(pipe.dropped).toBe('SLOW_READER')
  stream.gone()
  expect(asked).toEqual(['resume', 'stop', 'ended'])
})

test('keeps a reader that has nothing to read alive with heartbeats', async () => {
  const { stream, pipe, watch, clock } = open()
  stream.open(pipe, watch)
  for (let count = 0; count < 3; count++) {
    pipe.text = ''
    await clock.advance(1_000)
    expect(pipe.text).toBe(':\n\n')
  }
})

test('does not wait for a reader that did not keep up, but lets one that did read the end', () => {
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

test('drops a reader that takes nothing of the end either', async () => {
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
  expect(new TextDecoder().decode(value)).toContain(': beach')
  expect(stream.frames([part('x'.repeat(100_000))])).toBe(false)
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
  stream.frames([part('x'.repeat(100_000))])
  const reader = outlet.body.getReader()
  await clock.advance(2_500)
  await expect(reader.closed).rejects.toThrow(/keep up/)
})
