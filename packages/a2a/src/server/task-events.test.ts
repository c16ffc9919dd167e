import type { StreamResponse } from '@a2a-js/sdk'
import { partTypeRegistry, SimulatedClock, type Frame, type Sessions } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { taskEvents } from './task-events.ts'
import { TaskProjection } from './task-projection.ts'

/** Frames that a test gives one by one. */
class Frames implements AsyncIterable<Frame> {
  readonly #waiting: Frame[] = []
  #notify = () => {}
  #ended = false

  give(...frames: Frame[]): void {
    this.#waiting.push(...frames)
    this.#notify()
  }

  end(): void {
    this.#ended = true
    this.#notify()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    for (;;) {
      for (let frame = this.#waiting.shift(); frame !== undefined; frame = this.#waiting.shift()) yield frame
      if (this.#ended) return
      await new Promise<void>((resolve) => (this.#notify = resolve))
    }
  }
}

const turnId = 'turn_a'
const partId = 'turn_a.0.0'
const begun: Frame[] = [
  {
    kind: 'part',
    role: 'user',
    partId: 'm.0',
    part: { text: 'hi', metadata: { partType: 'message', a2a: { messageId: 'a' } } },
    at: 1,
    cursor: '7',
  },
  { kind: 'turn', turnId, epoch: 1, turnState: 'awaiting', messageIds: ['m'], cursor: '8' },
]

function delta(offset: number, text: string): Frame {
  return { kind: 'delta', epoch: 1, turnId, partId, partType: 'response', offset, text }
}

function whole(text: string): Frame {
  const part = { text, metadata: { partType: 'response' } }
  return { kind: 'part', role: 'agent', partId, turnId, turnState: 'complete', part, at: 3, cursor: '9' }
}

const settled: Frame = { kind: 'settled', turnId, turnState: 'complete', finalizedBy: 'complete', at: 4, cursor: '10' }

function setUp() {
  const clock = new SimulatedClock()
  const frames = new Frames()
  const projection = new TaskProjection({ session: 'sess_a', seq: 7 })
  for (const frame of begun) projection.apply(frame)
  const principal = { kind: 'peer', id: 'p', tenant: 't' } as const
  const to = { id: 'o', transport: 'a2a', deliveryClass: 'streaming', principal } as const
  const sessions = { envelope: async () => undefined } as unknown as Sessions
  const reader = { sessions, to, partTypes: partTypeRegistry }
  const events = taskEvents(projection, frames, reader, { clock, gatherMs: 75, end: () => frames.end() })
  return { clock, frames, events }
}

function shape({ payload }: StreamResponse): unknown {
  if (payload?.$case !== 'artifactUpdate') return payload?.$case
  const { artifact, append, lastChunk } = payload.value
  return [artifact?.parts.map(({ content }) => content?.value as unknown).join(''), append, lastChunk]
}

async function next(events: AsyncGenerator<StreamResponse, void, undefined>): Promise<unknown> {
  const { value, done } = await events.next()
  return done === true ? 'end' : shape(value)
}

test('the first piece of a text goes out at once, the others together when it is time, the whole at the end', async () => {
  const { clock, frames, events } = setUp()
  frames.give(delta(0, 'a'))
  expect(await next(events)).toEqual(['a', false, false])
  const waiting = next(events)
  frames.give(delta(1, 'b'), delta(2, 'c'))
  await clock.advance(75)
  expect(await waiting).toEqual(['bc', true, false])
  frames.give(delta(3, 'd'), whole('abcd'), settled)
  // What is there as a whole need not be completed first.
  expect(await next(events)).toEqual(['abcd', false, true])
  expect(await next(events)).toBe('statusUpdate')
  expect(await next(events)).toBe('end')
})

test('text that is taken back is said to be empty, and that it was', async () => {
  const { frames, events } = setUp()
  frames.give(delta(0, 'a'))
  await next(events)
  frames.give({ kind: 'retract', turnId, epoch: 2 })
  const { value } = await events.next()
  expect(value && shape(value)).toEqual(['', false, true])
  expect(JSON.stringify(value)).toContain('"retracted":true')
  // An artifact of A2A has a part at least.
  expect(value?.payload?.$case === 'artifactUpdate' && value.payload.value.artifact?.parts).toHaveLength(1)
})

test('a listener that stops in the middle ends the frames', async () => {
  const { frames, events } = setUp()
  frames.give(delta(0, 'a'))
  await next(events)
  frames.give(delta(1, 'b'))
  const waiting = events.next()
  frames.give(settled)
  await waiting
  await events.return()
  expect(await next(events)).toBe('end')
})
