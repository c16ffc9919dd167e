import type { Frame } from '@cool-ai/beach-core'
import type { FrameSink } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import type { ActorContext } from './function-actor.ts'
import { alice, eventually, said, viewer, testContext } from '../host/test-context.test-helper.ts'

const answers = ({ respond }: ActorContext) =>
  respond({ parts: [{ partType: 'response', text: 'hello' }], turnState: 'complete' })

/** A process that takes messages in and runs nothing, and one that runs everything. */
async function twoProcesses(actor: (turn: ActorContext) => Promise<void>) {
  const there = testContext()
  const { sessions: taking } = there.process({ actor })
  await taking.stop()
  const { sessions: running } = there.process({ actor })
  return { there, taking, running, session: await taking.open({ principal: alice }) }
}

function collect(frames: AsyncIterable<Frame>): Frame[] {
  const seen: Frame[] = []
  void (async () => {
    for await (const frame of frames) seen.push(frame)
  })()
  return seen
}

const kinds = (frames: readonly Frame[]) => frames.map(({ kind }) => kind)

describe('a turn that another process runs', () => {
  test('is shown whole to followers from its message on, its growing text too', async () => {
    const words = Promise.withResolvers<void>()
    const more = Promise.withResolvers<void>()
    async function* text() {
      yield 'hel'
      words.resolve()
      await more.promise
      yield 'lo'
    }
    const { taking, session } = await twoProcesses(({ respond }) =>
      respond({ parts: [{ partType: 'response', text: text() }], turnState: 'complete' }),
    )
    const end = new AbortController()
    const first = collect(taking.follow(session, viewer(), undefined, end.signal))
    const { seq } = await taking.post(session, said('go'), alice)
    const second = collect(taking.follow(session, viewer(), { from: seq }, end.signal))
    await words.promise
    await eventually(async () => kinds(second).includes('delta'))
    more.resolve()
    await eventually(async () => kinds(first).includes('settled') && kinds(second).includes('settled'))
    const third = collect(taking.follow(session, viewer(), { from: seq }, end.signal))
    await eventually(async () => kinds(third).includes('settled'))
    expect(kinds(second)).toEqual(kinds(first))
    expect(kinds(third)).toEqual(kinds(first).filter((kind) => kind !== 'delta'))
    end.abort()
  })

  test('has an envelope here as soon as it is seen to be settled', async () => {
    const { taking, session } = await twoProcesses(answers)
    const end = new AbortController()
    const seen = collect(taking.follow(session, viewer(), undefined, end.signal))
    await taking.post(session, said('go'), alice)
    await eventually(async () => kinds(seen).includes('settled'))
    const turnId = seen.find(({ kind }) => kind === 'settled')?.turnId ?? ''
    expect((await taking.envelope(session, turnId, viewer()))?.parts[0]?.text).toBe('hello')
    end.abort()
  })
})

test('a process that stops while a message is being written leaves it to the next at once', async () => {
  const there = testContext()
  const begin = there.store.appendAndClaim.bind(there.store)
  const arrived = Promise.withResolvers<void>()
  const write = Promise.withResolvers<void>()
  there.store.appendAndClaim = async (...args) => {
    arrived.resolve()
    await write.promise
    return begin(...args)
  }
  const one = there.process({ actor: () => new Promise<void>(() => {}) })
  const session = await one.sessions.open({ principal: alice })
  const posted = one.sessions.post(session, said('go'), alice)
  await arrived.promise
  const stopped = one.sessions.stop()
  write.resolve()
  await Promise.all([posted, stopped])
  const { sessions } = there.process({ actor: answers })
  const seen = collect(sessions.follow(session, viewer(), undefined, new AbortController().signal))
  // No time passes: the lease was given back.
  await eventually(async () => kinds(seen).includes('settled'))
})

test('a listener that fails ends, without affecting others', async () => {
  const there = testContext()
  const { sessions } = there.process({ actor: answers })
  const session = await sessions.open({ principal: alice })
  const ended = Promise.withResolvers<unknown>()
  const bad: FrameSink = {
    frames: () => {
      throw new Error('broken')
    },
    end: (error) => ended.resolve(error),
  }
  const seen = collect(sessions.follow(session, viewer(), undefined, new AbortController().signal))
  const watch = await sessions.watch(session, viewer(), undefined, bad)
  watch.resume()
  await sessions.post(session, said('go'), alice)
  expect(await ended.promise).toMatchObject({ message: 'broken' })
  await eventually(async () => kinds(seen).includes('settled'))
})

test('a message is taken before its actor does anything', async () => {
  const there = testContext()
  const order: string[] = []
  const { sessions } = there.process({
    actor: (turn) => {
      order.push('acts')
      return answers(turn)
    },
  })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  order.push('taken')
  await eventually(async () => order.length === 2)
  expect(order).toEqual(['taken', 'acts'])
})

test('a message that comes while a turn waits for a decision begins no second turn', async () => {
  const there = testContext()
  const { sessions } = there.process({
    actor: async ({ tool }) => {
      await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
    },
  })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('pay'), alice)
  const view = () => sessions.view(session, alice)
  await eventually(async () => (await view()).turn?.turnState === 'suspended')
  const { turn } = await view()
  // The host gives the session back: whichever process takes the message in may hold it.
  await there.runtime.clock.advance(1_000)
  await sessions.post(session, said('and?'), alice)
  expect(await view()).toMatchObject({ turn: { turnId: turn?.turnId, turnState: 'suspended' }, waiting: 1 })
})
