import { PartTypeRegistry, silentLogger, type Frame, type Originator } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import type { ActorContext } from '../turn/function-actor.ts'
import type { SessionTurnManager } from '../host/session-turn-manager.ts'
import { alice, bob, eventually, follow, handFed, said, viewer, testContext } from '../host/test-context.test-helper.ts'

/** Watches a session and keeps the lists that it is handed. */
async function watch(sessions: SessionTurnManager, session: string, to: Originator = viewer()) {
  const lists: (readonly Frame[])[] = []
  const ends: unknown[] = []
  const watching = await sessions.watch(session, to, undefined, {
    frames: (frames) => lists.push(frames) > 0,
    end: (error) => ends.push(error),
  })
  watching.resume()
  return { lists, ends, watching, frames: () => lists.flat() }
}

const isSettled = ({ kind }: Frame) => kind === 'settled'

async function answers({ respond }: ActorContext): Promise<void> {
  await respond({ parts: [{ partType: 'ack', text: 'I see.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'response', text: 'Yes.' }], turnState: 'complete' })
}

describe('a watcher of a session', () => {
  test('is told the same as who follows it', async () => {
    const { sessions } = testContext().process({ answers })
    const session = await sessions.open({ principal: alice })
    const before = await watch(sessions, session)
    const followed = follow(sessions, session)
    await sessions.post(session, said('hi'), alice)
    await followed.settled()
    await eventually(() => before.frames().some(isSettled))
    expect(before.frames()).toEqual(followed.frames)
    const after = await watch(sessions, session)
    await eventually(() => after.frames().some(isSettled))
    expect(after.frames()).toEqual(followed.frames)
    followed.leave()
  })

  test('is handed the very same lists as all others of its kind', async () => {
    const partTypes = PartTypeRegistry.canonical({ logger: silentLogger })
    const deliveryRules = { streaming: 'flush', buffered: 'drop' } as const
    partTypes.register({ partType: 'test.secret', deliveryRules, allowedTransports: ['agui'] })
    const speaks = async ({ respond }: ActorContext) =>
      respond({
        parts: ['ack', 'test.secret'].map((partType) => ({ partType, text: partType })),
        turnState: 'complete',
      })
    const { sessions } = testContext().process({ speaks }, { partTypes })
    const session = await sessions.open({ principal: alice })
    const sse = [await watch(sessions, session), await watch(sessions, session)]
    const page = { ...viewer(), transport: 'agui' }
    const pages = [await watch(sessions, session, page), await watch(sessions, session, page)]
    await sessions.post(session, said('hi'), alice)
    await eventually(() => [...sse, ...pages].every(({ frames }) => frames().some(isSettled)))
    for (const [one, other] of [sse, pages]) {
      expect(one?.lists.length).toBeGreaterThan(0)
      for (const [index, list] of (one?.lists ?? []).entries()) expect(other?.lists[index]).toBe(list)
    }
    const texts = (frames: Frame[]) => frames.flatMap((frame) => (frame.kind === 'part' ? frame.part.text : []))
    expect(texts(sse[0]?.frames() ?? [])).toEqual(['hi', 'ack'])
    expect(texts(pages[0]?.frames() ?? [])).toEqual(['hi', 'ack', 'test.secret'])
  })

  test('is told in one list what came together', async () => {
    const { sessions } = testContext().process({ answers })
    const session = await sessions.open({ principal: alice })
    const { lists, frames } = await watch(sessions, session)
    await sessions.post(session, said('hi'), alice)
    await eventually(() => frames().some(isSettled))
    const last = lists.at(-1)?.map(({ kind }) => kind)
    expect(last?.slice(-3)).toEqual(['part', 'turn', 'settled'])
  })

  test('in mid-text gets the open text, and what flows after it', async () => {
    const hand = handFed()
    const speaks = async ({ respond }: ActorContext) =>
      respond({ parts: [{ partType: 'response', text: hand.text }], turnState: 'complete' })
    const { sessions } = testContext().process({ speaks })
    const session = await sessions.open({ principal: alice })
    const first = follow(sessions, session)
    await sessions.post(session, said('hi'), alice)
    hand.feed('one')
    await first.until((frame) => frame.kind === 'delta')
    const late = await watch(sessions, session)
    await eventually(() => late.frames().some(({ kind }) => kind === 'delta'))
    hand.feed(' two')
    await eventually(() => late.frames().filter(({ kind }) => kind === 'delta').length === 2)
    hand.end()
    await eventually(() => late.frames().some(isSettled))
    const deltas = late.frames().flatMap((frame) => (frame.kind === 'delta' ? [[frame.offset, frame.text]] : []))
    expect(deltas).toEqual([
      [0, 'one'],
      [3, ' two'],
    ])
    first.leave()
  })

  test('is told nothing of a session of others, nor after it has stopped', async () => {
    const { sessions } = testContext().process({ answers })
    const session = await sessions.open({ principal: alice })
    await expect(watch(sessions, session, viewer(bob))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(watch(sessions, 'sess_none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const { lists, ends, watching } = await watch(sessions, session)
    watching.stop()
    const other = follow(sessions, session)
    await sessions.post(session, said('hi'), alice)
    await other.settled()
    expect(lists).toEqual([])
    expect(ends).toEqual([])
    other.leave()
  })
})
