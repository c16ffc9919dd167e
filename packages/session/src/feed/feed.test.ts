import type { Frame, Store } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { StoredEvent, TailItem } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import { Feed } from './feed.ts'
import { ListenerState } from './listener-state.ts'
import type { Viewer } from './viewer.ts'

/** A feed on a log that the test writes, and nothing else. */
function fed(publish: (live: unknown) => void = () => {}) {
  const waiting: TailItem[] = []
  let notify = () => {}
  async function* tail(): AsyncGenerator<readonly TailItem[]> {
    for (;;) {
      const items = waiting.splice(0)
      if (items.length > 0) yield items
      else await new Promise<void>((resolve) => (notify = resolve))
    }
  }
  const feed = new Feed({ tail, publish: (_: string, live: unknown) => publish(live) } as unknown as Store, 's', {
    head: 0,
    epoch: 1,
    steps: 0,
    listenerState: new ListenerState({}, 0),
  })
  void feed.run()
  const say = (...items: TailItem[]) => {
    waiting.push(...items)
    notify()
  }
  return { feed, say }
}

function message(seq: number): StoredEvent {
  const parts = [{ text: `${seq}`, metadata: { partType: 'message' } }]
  const data = { type: 'messageReceived', messageId: `m${seq}`, at: 0, payload: { parts } } as unknown as SessionEvent
  return { seq, data }
}

function viewer(): Viewer & { lists: (readonly Frame[])[] } {
  const lists: (readonly Frame[])[] = []
  return { lists, push: (frames) => lists.push(frames), end: () => {} }
}

const cursorsOf = ({ lists }: { lists: (readonly Frame[])[] }) => lists.flat().map(({ cursor }) => cursor)

test('what comes together is told together, in one list for all', async () => {
  const { feed, say } = fed()
  const [one, other] = [viewer(), viewer()]
  feed.join(one)
  feed.join(other)
  say(message(1), message(2), message(3))
  await new Promise((resolve) => setImmediate(resolve))
  expect(one.lists.map((list) => list.map(({ cursor }) => cursor))).toEqual([['1', '2', '3']])
  expect(other.lists[0]).toBe(one.lists[0])
})

test('a viewer that joins between an event and its frames does not get them: they lie before its position', async () => {
  const { feed, say } = fed()
  const early = viewer()
  feed.join(early)
  say(message(1), message(2))
  const late = viewer()
  // Only promises are waited for, so nothing is told yet by itself.
  for (let joined = feed.join(late); joined.position < 2; joined = feed.join(late)) {
    feed.leave(late)
    await Promise.resolve()
  }
  say(message(3))
  await new Promise((resolve) => setImmediate(resolve))
  expect(cursorsOf(early)).toEqual(['1', '2', '3'])
  expect(cursorsOf(late)).toEqual(['3'])
})

test('text that was open when its turn was resumed is gone: who joins does not get it, and nothing is added to it', async () => {
  const asked: unknown[] = []
  const { feed, say } = fed((live) => asked.push(live))
  const early = viewer()
  feed.join(early)
  const event = (seq: number, data: object): StoredEvent => ({ seq, data: { at: 0, ...data } })
  const delta = (epoch: number, offset: number, text: string): TailItem => ({
    live: { kind: 'delta', epoch, turnId: 't', partId: 't.0.0', partType: 'response', offset, text },
  })
  say(event(1, { type: 'turnStarted', turnId: 't', actor: 'a', messageIds: [], epoch: 1 }), delta(1, 0, 'half'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(feed.join(viewer()).open).toMatchObject([{ text: 'half' }])
  say(event(2, { type: 'turnResumed', turnId: 't', attempt: 1, epoch: 2 }), delta(2, 4, ' of something else'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(feed.join(viewer()).open).toEqual([])
  expect(early.lists.flat().filter(({ kind }) => kind === 'delta')).toHaveLength(1)
  // Of the turn that had begun by the first look, and of the gap.
  expect(asked).toEqual([{ kind: 'ask' }, { kind: 'ask' }])
})

test('text that comes after its step is on record is not told: the step has said it', async () => {
  const { feed, say } = fed()
  const early = viewer()
  feed.join(early)
  const event = (seq: number, data: object): StoredEvent => ({ seq, data: { at: 0, ...data } })
  const delta = (partId: string): TailItem => ({
    live: { kind: 'delta', epoch: 1, turnId: 'turn_t', partId, partType: 'response', offset: 0, text: 'half' },
  })
  say(event(1, { type: 'turnStarted', turnId: 'turn_t', actor: 'a', messageIds: [], epoch: 1 }))
  say(
    event(2, { type: 'stepCommitted', turnId: 'turn_t', step: 0, partIds: ['turn_t.0.0'], epoch: 1 }),
    delta('turn_t.0.0'),
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect(feed.join(viewer()).open).toEqual([])
  say(delta('turn_t.1.0'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(feed.join(viewer()).open).toMatchObject([{ partId: 'turn_t.1.0' }])
})

test.each([
  ['of a turn that begins', undefined, { type: 'turnStarted', actor: 'a', messageIds: [] }],
  ['of a turn that another host resumes', 1, { type: 'turnResumed', attempt: 1 }],
])('text %s may come before the log says so: it is asked for once the log does', async (_, begun, begins) => {
  const asked: unknown[] = []
  const { feed, say } = fed((live) => asked.push(live))
  const early = viewer()
  feed.join(early)
  const event = (seq: number, data: object): StoredEvent => ({ seq, data: { at: 0, turnId: 'turn_t', ...data } })
  const delta = (offset: number, text: string): TailItem => ({
    live: { kind: 'delta', epoch: 2, turnId: 'turn_t', partId: 'turn_t.0.0', partType: 'response', offset, text },
  })
  if (begun !== undefined) {
    say(event(1, { type: 'turnStarted', actor: 'a', messageIds: [], epoch: begun }))
    await new Promise((resolve) => setImmediate(resolve))
    // It may have been said before another process knew of this feed.
    expect(asked.splice(0)).toEqual([{ kind: 'ask' }])
  }
  say(delta(0, 'Once'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toEqual([])
  say(event(2, { ...begins, epoch: 2 }))
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toEqual([{ kind: 'ask' }])
  say(delta(0, 'Once upon'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(early.lists.flat().filter(({ kind }) => kind === 'delta')).toMatchObject([{ text: 'Once upon' }])
  expect(asked).toHaveLength(1)
})

test('text of the next step may come before the log has the step before it, and stays', async () => {
  const { feed, say } = fed()
  const early = viewer()
  feed.join(early)
  const event = (seq: number, data: object): StoredEvent => ({ seq, data: { at: 0, turnId: 'turn_t', ...data } })
  const delta = (partId: string): TailItem => ({
    live: { kind: 'delta', epoch: 1, turnId: 'turn_t', partId, partType: 'response', offset: 0, text: 'half' },
  })
  say(event(1, { type: 'turnStarted', actor: 'a', messageIds: [], epoch: 1 }), delta('turn_t.0.0'), delta('turn_t.1.0'))
  say(event(2, { type: 'stepCommitted', step: 0, partIds: ['turn_t.0.0'], epoch: 1 }))
  await new Promise((resolve) => setImmediate(resolve))
  expect(feed.join(viewer()).open).toMatchObject([{ partId: 'turn_t.1.0' }])
  expect(early.lists.flat().map(({ kind }) => kind)).not.toContain('retract')
})

describe('text of a turn', () => {
  const event = (seq: number, data: object): StoredEvent => ({ seq, data: { at: 0, turnId: 't', ...data } })
  const delta = (epoch: number, offset: number, text: string): TailItem => ({
    live: { kind: 'delta', epoch, turnId: 't', partId: 't.0.0', partType: 'response', offset, text },
  })

  async function reported(...items: TailItem[]) {
    const { feed, say } = fed()
    const early = viewer()
    feed.join(early)
    say(event(1, { type: 'turnStarted', actor: 'a', messageIds: [], epoch: 1 }), ...items)
    await new Promise((resolve) => setImmediate(resolve))
    return early.lists.flat().filter(({ kind }) => kind === 'delta')
  }

  test('is not told when its host was replaced before it came', async () => {
    const resumed = event(2, { type: 'turnResumed', attempt: 1, epoch: 2 })
    expect(await reported(resumed, delta(1, 0, 'late'), delta(2, 0, 'new'))).toMatchObject([{ text: 'new' }])
  })

  test('is told from its beginning when it is another than before, and only what is new of it otherwise', async () => {
    const frames = await reported(delta(1, 0, 'half'), delta(1, 0, 'half of it'), delta(1, 0, 'something else'))
    expect(frames).toMatchObject([
      { offset: 0, text: 'half' },
      { offset: 4, text: ' of it' },
      { offset: 0, text: 'something else' },
    ])
  })
})
