import type { Frame, TurnState } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { EnvelopeStream, type StreamPart } from './stream.ts'

const turnId = 'turn_a'
const id = (step: number, index: number) => `${turnId}.${step}.${index}`

function delta(text: string, offset: number, options: { partId?: string; epoch?: number } = {}): Frame {
  const { partId = id(0, 0), epoch = 1 } = options
  return { kind: 'delta', epoch, turnId, partId, partType: 'response', offset, text }
}

function part(text: string, partId = id(0, 0), cursor?: string): Frame {
  const frame = {
    kind: 'part',
    role: 'agent',
    partId,
    turnId,
    part: { text, metadata: { partType: 'response' } },
  } as const
  return { ...frame, at: 1, ...(cursor === undefined ? {} : { cursor }) }
}

function userPart(text: string): Frame {
  return { kind: 'part', role: 'user', partId: 'msg_a.0', part: { text, metadata: { partType: 'message' } }, at: 1 }
}

function turn(epoch: number, turnState: TurnState = 'awaiting', step?: number): Frame {
  return { kind: 'turn', turnId, epoch, turnState, ...(step === undefined ? {} : { step }) }
}

const settled: Frame = { kind: 'settled', turnId, turnState: 'complete', finalizedBy: 'complete', at: 1, cursor: '9' }

function streamOf(...frames: Frame[]): EnvelopeStream {
  const stream = new EnvelopeStream()
  for (const frame of frames) stream.apply(frame)
  return stream
}

const texts = (stream: EnvelopeStream) => stream.parts.map((item) => item.text)

describe('approvals and state', () => {
  const asks: Frame = {
    kind: 'part',
    role: 'agent',
    partId: id(0, 1),
    turnId,
    part: { data: { approvalId: 'a1' }, metadata: { partType: 'approval-request' } },
    at: 1,
  }
  const decision = (outcome: 'granted' | 'denied' | 'expired' | 'void'): Frame => {
    return { kind: 'decision', turnId, approvalId: 'a1', outcome, by: 'user', at: 1, cursor: '7' }
  }
  const state = (seq: number, stage: string): Frame => ({ kind: 'state', seq, coordinates: { stage } })

  test('what was decided is kept and told once; the first decision counts, until what was asked is void', () => {
    const stream = streamOf(turn(1), asks)
    expect([...stream.approvals]).toEqual([])
    const reported: unknown[] = []
    stream.on('decision', (value) => reported.push(value))
    for (const outcome of ['granted', 'granted', 'denied', 'void', 'granted'] as const) stream.apply(decision(outcome))
    expect(reported).toEqual([
      { turnId, approvalId: 'a1', outcome: 'granted', by: 'user', at: 1 },
      { turnId, approvalId: 'a1', outcome: 'void', by: 'user', at: 1 },
    ])
    expect(stream.approvals.get('a1')).toBe('void')
    expect(stream.lastCursor).toBe('7')
  })

  test('what a turn still asked when it ended is void', () => {
    const stream = streamOf(turn(1), asks, settled, settled)
    expect([...stream.approvals]).toEqual([['a1', 'void']])
    expect([...streamOf(turn(1), asks, decision('denied'), settled).approvals]).toEqual([['a1', 'denied']])
  })

  test('what slices showed at the beginning is kept, and told of', () => {
    const stream = new EnvelopeStream()
    let reported = 0
    stream.on('state', () => reported++)
    expect(stream.began).toBeUndefined()
    stream.apply({ kind: 'state', seq: 4, coordinates: {}, shown: { activeFlows: {} } })
    expect(stream.began).toEqual({ seq: 4, shown: { activeFlows: {} } })
    // A connection that was made again begins with how things stand then.
    stream.apply({ kind: 'state', seq: 9, coordinates: {}, shown: { activeFlows: { a: 1 } } })
    expect(stream.began?.seq).toBe(4)
    expect(reported).toBe(1)
  })

  test('the state is the last one, also when an older one comes late', () => {
    const stream = new EnvelopeStream()
    const reported: unknown[] = []
    stream.on('state', (value) => reported.push(value))
    for (const frame of [state(3, 'b'), state(1, 'a'), state(5, 'b'), state(9, 'c'), state(9, 'c')]) stream.apply(frame)
    expect(stream.state).toEqual({ stage: 'c' })
    expect(reported).toEqual([{ stage: 'b' }, { stage: 'c' }])
  })
})

describe('text that grows', () => {
  test('is put together by its offsets', () => {
    const stream = streamOf(delta('Hel', 0), delta('lo', 3), delta('p!', 3))
    expect(texts(stream)).toEqual(['Help!'])
    expect(stream.parts[0]).toMatchObject({ open: true, gap: false, role: 'agent', turnId, partType: 'response' })
  })

  test('counts in UTF-16 units', () => {
    expect(texts(streamOf(delta('🏖', 0), delta('!', 2)))).toEqual(['🏖!'])
  })

  test('is not cut off by a piece of it that comes twice', () => {
    expect(texts(streamOf(delta('Hel', 0), delta('lo', 3), delta('el', 1)))).toEqual(['Hello'])
  })

  test('begins anew at offset 0', () => {
    expect(texts(streamOf(delta('Hello', 0), delta('He', 0)))).toEqual(['He'])
  })

  test('of which something is missing is marked and not continued, until it is complete again', () => {
    const gaps: unknown[] = []
    const stream = streamOf(delta('Hel', 0))
    stream.on('gap', (gap) => gaps.push(gap))
    stream.apply(delta('!', 5))
    stream.apply(delta('?', 6))
    expect(stream.parts).toMatchObject([{ text: 'Hel', gap: true, open: true }])
    expect([...stream.gaps]).toEqual([id(0, 0)])
    expect(gaps).toEqual([{ turnId, partId: id(0, 0) }])
    stream.apply(delta('Hello!?', 0))
    expect(stream.parts).toMatchObject([{ text: 'Hello!?', gap: false }])
    expect(stream.gaps.size).toBe(0)
  })

  test('of which the beginning is missing shows nothing', () => {
    expect(streamOf(delta('lo', 3)).parts).toMatchObject([{ text: '', gap: true }])
  })

  test('is told as it comes, with all of it so far', () => {
    const seen: unknown[] = []
    const stream = new EnvelopeStream()
    stream.on('delta', (event) => seen.push(event))
    stream.apply(delta('Hel', 0))
    stream.apply(delta('lo', 3))
    stream.apply(delta('lo', 3))
    expect(seen).toEqual([
      { turnId, partId: id(0, 0), partType: 'response', offset: 0, delta: 'Hel', text: 'Hel' },
      { turnId, partId: id(0, 0), partType: 'response', offset: 3, delta: 'lo', text: 'Hello' },
    ])
  })

  test('of several parts stands in the order of the step, after what is durable', () => {
    const stream = streamOf(delta('second', 0, { partId: id(0, 1) }), delta('first', 0), userPart('Hi.'))
    expect(texts(stream)).toEqual(['Hi.', 'first', 'second'])
  })
})

describe('a durable part', () => {
  test('replaces its open text, and later pieces of it are ignored', () => {
    const stream = streamOf(delta('Hel', 0), part('Hello.'), delta('p', 3))
    expect(stream.parts).toMatchObject([{ text: 'Hello.', open: false }])
  })

  test('is told once, however often it comes', () => {
    const seen: StreamPart[] = []
    const stream = new EnvelopeStream()
    stream.on('part', (item) => seen.push(item))
    for (const frame of [userPart('Hi.'), part('Hello.'), userPart('Hi.'), part('Hello.')]) stream.apply(frame)
    expect(seen.map(({ partId, role, partType, text }) => [partId, role, partType, text])).toEqual([
      ['msg_a.0', 'user', 'message', 'Hi.'],
      [id(0, 0), 'agent', 'response', 'Hello.'],
    ])
    expect(texts(stream)).toEqual(['Hi.', 'Hello.'])
  })

  test('gives the cursor to reconnect with', () => {
    const stream = streamOf(part('a', id(0, 0), '3'), delta('b', 0, { partId: id(1, 0) }))
    expect(stream.lastCursor).toBe('3')
    stream.apply(settled)
    expect(stream.lastCursor).toBe('9')
    expect(new EnvelopeStream().lastCursor).toBeUndefined()
  })
})

describe('open text is gone', () => {
  test.each<[string, Frame, string[]]>([
    ['when it is retracted by name', { kind: 'retract', turnId, epoch: 1, partIds: [id(0, 0)] }, ['b', 'c']],
    ['when the turn is retracted', { kind: 'retract', turnId, epoch: 1 }, []],
    ['up to a step that is complete', turn(1, 'awaiting', 0), ['c']],
    ['when another host goes on', turn(2), []],
    ['when the turn settles', settled, []],
  ])('%s', (_when, frame, remaining) => {
    const stream = streamOf(
      turn(1),
      delta('a', 0),
      delta('b', 0, { partId: id(0, 1) }),
      delta('c', 0, { partId: id(1, 0) }),
    )
    const gone: string[] = []
    stream.on('retract', ({ partIds }) => gone.push(...partIds))
    stream.apply(frame)
    expect(texts(stream)).toEqual(remaining)
    expect(gone).toHaveLength(3 - remaining.length)
  })

  test('when text of a higher epoch comes before the news of it', () => {
    expect(texts(streamOf(turn(1), delta('old', 0), delta('new', 0, { epoch: 2, partId: id(0, 1) })))).toEqual(['new'])
  })

  test.each<[string, Frame[], Frame]>([
    ['of an older epoch', [turn(2)], delta('late', 0)],
    ['of a step that is complete', [turn(1, 'awaiting', 0)], delta('late', 0)],
    ['of a turn that has settled', [turn(1), settled], delta('late', 0)],
  ])('and does not come back by a late piece %s', (_what, before, late) => {
    expect(streamOf(...before, late).parts).toEqual([])
  })

  test('but not by a retraction of an older epoch', () => {
    expect(texts(streamOf(turn(2), delta('new', 0, { epoch: 2 }), { kind: 'retract', turnId, epoch: 1 }))).toEqual([
      'new',
    ])
  })

  test('while what is durable stays', () => {
    expect(texts(streamOf(part('Hello.'), { kind: 'retract', turnId, epoch: 1 }, turn(2), settled))).toEqual(['Hello.'])
  })
})

describe('turns', () => {
  test('are known by their last state', () => {
    const started: Frame = { kind: 'turn', turnId, epoch: 1, turnState: 'awaiting', actor: 'sally' }
    const stream = streamOf(started, turn(1, 'suspended', 2))
    expect(stream.turns).toEqual([
      { turnId, epoch: 1, turnState: 'suspended', actor: 'sally', step: 2, settled: false },
    ])
    stream.apply(settled)
    expect(stream.turns).toMatchObject([{ turnState: 'complete', settled: true, finalizedBy: 'complete' }])
  })

  test('do not go back when the log is told again', () => {
    const log = [turn(1), turn(1, 'awaiting', 0), turn(2), turn(2, 'suspended', 1)]
    const seen: unknown[] = []
    const stream = streamOf(...log)
    stream.on('turn', (item) => seen.push(item))
    for (const frame of log.slice(0, -1)) stream.apply(frame)
    expect(stream.turns).toMatchObject([{ turnState: 'suspended', step: 1, epoch: 2 }])
    expect(seen).toEqual([])
  })

  test('settle once', () => {
    let count = 0
    const stream = new EnvelopeStream()
    stream.on('settled', () => count++)
    for (const frame of [turn(1), settled, turn(1), settled]) stream.apply(frame)
    expect(count).toBe(1)
    expect(stream.turns).toMatchObject([{ settled: true }])
  })
})

describe('listeners', () => {
  test('hear of changes only when something changed', () => {
    let changes = 0
    const stream = new EnvelopeStream()
    stream.on('change', () => changes++)
    for (const frame of [part('a'), part('a'), delta('late', 0), settled, settled]) stream.apply(frame)
    expect(changes).toBe(2)
  })

  test('end when they say so', () => {
    let count = 0
    const stream = new EnvelopeStream()
    const end = stream.on('part', () => count++)
    stream.apply(part('a', id(0, 0)))
    end()
    stream.apply(part('b', id(0, 1)))
    expect(count).toBe(1)
  })

  test('that fail keep neither the others nor the stream from going on', () => {
    const received: string[] = []
    const stream = new EnvelopeStream()
    stream.on('part', () => {
      throw new Error('First.')
    })
    stream.on('part', (item) => received.push(item.text ?? ''))
    expect(() => stream.apply(part('a', id(0, 0)))).toThrow('First.')
    expect(received).toEqual(['a'])
    expect(texts(stream)).toEqual(['a'])
  })

  test('an unknown kind of frame is ignored', () => {
    expect(streamOf({ kind: 'weather' } as unknown as Frame).parts).toEqual([])
  })
})

describe('iterating', () => {
  test('gives durable parts from the first on, then those that come, until the stream is closed', async () => {
    const stream = streamOf(part('a', id(0, 0)), delta('open', 0, { partId: id(0, 5) }))
    const seen: (string | undefined)[] = []
    const reading = (async () => {
      for await (const item of stream) {
        seen.push(item.text)
        if (item.text === 'a') stream.apply(part('b', id(0, 1)))
        if (item.text === 'b') queueMicrotask(() => stream.apply(part('c', id(0, 2))))
        if (item.text === 'c') queueMicrotask(() => stream.close())
      }
    })()
    await reading
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('gives what is still there after the stream was closed, and closed streams take nothing', async () => {
    const stream = streamOf(part('a', id(0, 0)))
    stream.close()
    stream.apply(part('b', id(0, 1)))
    const seen = await Array.fromAsync(stream, (item) => item.text)
    expect(seen).toEqual(['a'])
    expect(stream.closed).toBe(true)
  })

  test('ends with the error that the stream was closed with, after what is still there', async () => {
    const stream = streamOf(part('a', id(0, 0)))
    const seen: (string | undefined)[] = []
    const read = async () => {
      for await (const item of stream) seen.push(item.text)
    }
    const before = read()
    const error = new Error('It is not yours.')
    stream.close(error)
    stream.close()
    await expect(before).rejects.toBe(error)
    await expect(read()).rejects.toBe(error)
    expect(seen).toEqual(['a', 'a'])
  })
})
