import type { Frame } from '@cool-ai/beach-core'
import { frameBatch, type FrameBatch, type FrameSink } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import { Watcher } from './watcher.ts'

function frames(...texts: string[]): FrameBatch {
  const list = texts.map((text): Frame => {
    return { kind: 'part', role: 'agent', partId: text, part: { text, metadata: { partType: 'ack' } }, at: 0 }
  })
  return frameBatch(list)
}

async function* past(...lists: FrameBatch[]): AsyncGenerator<FrameBatch> {
  yield* lists
}

/** A sink that keeps what it is given, and wants more as often as it is told to. */
class Kept implements FrameSink {
  readonly texts: string[] = []
  wants = true
  ended: { error: unknown } | undefined

  frames(list: readonly Frame[]): boolean {
    for (const frame of list) this.texts.push(frame.kind === 'part' ? (frame.part.text ?? '') : frame.kind)
    return this.wants
  }

  end(error?: unknown): void {
    this.ended = { error }
  }
}

function watching(limits?: { frames: number; characters: number }) {
  const sink = new Kept()
  const watcher = new Watcher(sink, limits)
  const left = { count: 0 }
  const begin = (...lists: FrameBatch[]) =>
    watcher.begin({ past: past(...lists), select: (list) => list, leave: () => left.count++ })
  return { sink, watcher, left, begin }
}

/** Lets every promise settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a watcher', () => {
  test('hands over nothing before it is asked, then the past, then what has come since, then what comes', async () => {
    const { sink, watcher, begin } = watching()
    watcher.push(frames('c'))
    begin(frames('a'), frames('b'))
    watcher.push(frames('d'))
    await settle()
    expect(sink.texts).toEqual([])
    watcher.resume()
    watcher.push(frames('e'))
    await settle()
    expect(sink.texts).toEqual(['a', 'b', 'c', 'd', 'e'])
    watcher.push(frames('f'))
    expect(sink.texts.at(-1)).toBe('f')
  })

  test('waits whenever its sink has had enough', async () => {
    const { sink, watcher, begin } = watching()
    begin(frames('a'), frames('b'))
    sink.wants = false
    watcher.push(frames('c'))
    for (const expected of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      watcher.resume()
      await settle()
      expect(sink.texts).toEqual(expected)
    }
    watcher.push(frames('d'))
    watcher.push(frames('e'))
    expect(sink.texts).toHaveLength(3)
    sink.wants = true
    watcher.resume()
    expect(sink.texts).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test.for([
    { frames: 3, characters: 1_000_000 },
    { frames: 100, characters: 500 },
  ])('lets a sink go that takes too little: %o', async (limits) => {
    const { sink, watcher, begin, left } = watching(limits)
    begin()
    watcher.resume()
    await settle()
    sink.wants = false
    watcher.push(frames('a'))
    for (const text of ['b', 'c', 'd', 'e']) watcher.push(frames(text))
    expect(sink.ended?.error).toMatchObject({ code: 'SLOW_READER' })
    expect(left.count).toBe(1)
    watcher.resume()
    expect(sink.texts, 'what waited is not told').toEqual(['a'])
  })

  test('that ends tells first what waits, and then that it is over', async () => {
    const { sink, watcher, begin, left } = watching()
    watcher.push(frames('b'))
    watcher.end()
    begin(frames('a'))
    expect(sink.ended).toBeUndefined()
    watcher.resume()
    await settle()
    expect(sink.texts).toEqual(['a', 'b'])
    expect(sink.ended).toEqual({ error: undefined })
    expect(left.count).toBe(1)
  })

  test('that is stopped tells nothing more, not even that, and leaves once', async () => {
    const { sink, watcher, begin, left } = watching()
    begin(frames('a'))
    watcher.resume()
    watcher.stop()
    watcher.stop()
    watcher.push(frames('b'))
    watcher.end()
    await settle()
    expect(sink.texts).toEqual([])
    expect(sink.ended).toBeUndefined()
    expect(left.count).toBe(1)
  })

  test('that was stopped before it could begin leaves when it would', () => {
    const { watcher, begin, left } = watching()
    watcher.stop()
    begin(frames('a'))
    expect(left.count).toBe(1)
  })

  test('whose past cannot be read says so', async () => {
    const { sink, watcher, left } = watching()
    const broken = (async function* (): AsyncGenerator<FrameBatch> {
      yield frames('a')
      throw new Error('disk')
    })()
    watcher.begin({ past: broken, select: (list) => list, leave: () => left.count++ })
    watcher.resume()
    await settle()
    expect(sink).toMatchObject({ texts: ['a'], ended: { error: { message: 'disk' } } })
    expect(left.count).toBe(1)
  })
})
