import type { Channel, Envelope, Frame, Originator, Part, Store } from '@cool-ai/beach-core'
import type { FramePosition } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import type { ActorContext } from '../turn/function-actor.ts'
import { alice, bob, processView, said, viewer, testContext } from './test-context.test-helper.ts'

const id = 'sess_known'

async function answers({ respond }: ActorContext): Promise<void> {
  await respond({ parts: [{ partType: 'response', text: 'Yes.' }], turnState: 'complete' })
}

async function all(frames: AsyncIterable<Frame>): Promise<Frame[]> {
  const found: Frame[] = []
  for await (const frame of frames) found.push(frame)
  return found
}

describe('a session of a known id', () => {
  test('is opened by its first message, in one commit, and listed', async () => {
    const { store, ...here } = testContext()
    const { sessions } = here.process({ answers })
    const posted = await sessions.post(id, said('hi'), alice, {})
    const events = await store.read(id, 0)
    expect(events.slice(0, 2).map(({ data }) => (data as { type: string }).type)).toEqual([
      'sessionOpened',
      'messageReceived',
    ])
    expect(posted.seq).toBe(events[1]?.seq)
    expect((await sessions.list({}, alice)).items.map(({ sessionId }) => sessionId)).toEqual([id])
  })

  test('is the same when another message would open it, and no other caller’s', async () => {
    const here = testContext()
    const { sessions } = here.process({ answers })
    await sessions.post(id, said('hi'), alice, {})
    await sessions.post(id, said('again'), alice, {})
    expect(await sessions.open({ principal: alice, id })).toBe(id)
    expect((await sessions.list({}, alice)).items).toHaveLength(1)
    await expect(sessions.post(id, said('me too'), bob, {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(sessions.open({ principal: bob, id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await sessions.list({}, bob)).items).toHaveLength(0)
  })

  test('is not opened again, or taken, by a caller that takes it for a new one', async () => {
    const { store, ...here } = testContext()
    await here.process({ answers }).sessions.post(id, said('hi'), alice, {})
    await here.process({ answers }).sessions.post(id, said('again'), alice, { isNew: true })
    const mallory = here.process({ answers }).sessions.post(id, said('me too'), bob, { isNew: true })
    await expect(mallory).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const types = (await store.read(id, 0)).map(({ data }) => (data as { type: string }).type)
    expect(types.filter((type) => type === 'sessionOpened')).toHaveLength(1)
    expect(types.filter((type) => type === 'messageReceived')).toHaveLength(2)
  })

  test('is not opened by a message that is refused, nor by one that does not ask for it', async () => {
    const { store, ...here } = testContext()
    const { sessions } = here.process({ answers }, { limits: { eventBytes: 10 } })
    await expect(sessions.post(id, said('too much'), alice, {})).rejects.toMatchObject({ code: 'TOO_LARGE' })
    await expect(sessions.post(id, said('a'), alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await store.read(id, 0)).toEqual([])
    expect((await sessions.list({}, alice)).items).toEqual([])
  })
})

test('frames can be had from an event on, which must be of the session', async () => {
  const here = testContext()
  const { sessions } = here.process({ answers })
  await sessions.post(id, said('one'), alice, {})
  await sessions.post('sess_other', said('elsewhere'), alice, {})
  const second = await sessions.post(id, said('two'), alice, {})
  const [first] = await all(sessions.history(id, viewer(), { from: second.seq }))
  expect(first).toMatchObject({ kind: 'part', cursor: String(second.seq), part: { text: 'two' } })
  await expect(all(sessions.history(id, viewer(), { from: second.seq - 1_000 }))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  await expect(all(sessions.history('sess_other', viewer(), { from: second.seq }))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})

test('frames from an event on begin with it, also when the feed of others in the session has not come so far', async () => {
  const { store, ...here } = testContext()
  const slow = processView(store)
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  async function* tail(...place: Parameters<Store['tail']>): ReturnType<Store['tail']> {
    for await (const item of store.tail(...place)) {
      await opened
      yield item
    }
  }
  const { sessions } = here.process({ answers }, { store: { ...slow, tail }, whileBusy: 'queue' })
  await sessions.stop()
  await sessions.open({ principal: alice, id })
  const end = new AbortController()
  const other = sessions.follow(id, viewer(), undefined, end.signal)[Symbol.asyncIterator]()
  const waiting = other.next()
  await here.runtime.clock.advance(1)
  await sessions.post(id, said('one'), alice)
  const second = await sessions.post(id, said('two'), alice)
  const follow = (after: FramePosition) => sessions.follow(id, viewer(), after, end.signal)[Symbol.asyncIterator]()
  const following = follow({ from: second.seq })
  // A listener that has an event already does not get it again.
  const after = follow(String(second.seq))
  const news = [following.next(), following.next(), after.next()]
  await here.runtime.clock.advance(1)
  open()
  await sessions.post(id, said('three'), alice)
  const texts = (await Promise.all(news)).map(({ value }) => (value as Frame & { part: Part }).part.text)
  expect(texts).toEqual(['two', 'three', 'three'])
  await waiting
  end.abort()
})

test('a channel that pushes says itself whom it reaches', async () => {
  const { runtime, ...here } = testContext()
  const sent: Envelope[] = []
  const channel: Channel = {
    transport: 'a2a',
    deliveryClass: 'buffered',
    start: async () => {},
    reaches: ({ address }) => address !== undefined,
    send: async (_, envelope) => {
      sent.push(envelope)
      return { status: 'sent' }
    },
  }
  const { sessions } = here.process({ answers }, { channels: [channel] })
  const peer: Originator = { id: 'p', transport: 'a2a', deliveryClass: 'buffered', principal: alice }
  await sessions.post(id, { ...said('hi'), from: peer }, alice, {})
  await runtime.clock.advance(1_000)
  expect(sent).toEqual([])
  await sessions.join(id, { ...peer, id: 'q', address: 'somewhere', details: { token: 'canary' } }, alice)
  await sessions.post(id, { ...said('hi again'), from: peer }, alice)
  await runtime.clock.advance(1_000)
  expect(sent).toHaveLength(1)
  expect((await sessions.originators(id, alice)).map((originator) => originator.address)).toEqual([
    undefined,
    'somewhere',
  ])
  await expect(sessions.originators(id, bob)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(JSON.stringify(await sessions.view(id, alice))).not.toContain('canary')
})
