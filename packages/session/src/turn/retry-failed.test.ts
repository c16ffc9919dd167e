import { BeachError, type Frame, type Part } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { contents, postbox, reader } from '../delivery/postbox.test-helper.ts'
import { defineActor, type ActorContext } from './function-actor.ts'
import type { RetryFailed } from '../host/leased-session.ts'
import { handWork } from '../manifests/works.test-helper.ts'
import type { SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import {
  alice,
  eventsOf,
  eventually,
  follow,
  said,
  testContext,
  type TestContext,
} from '../host/test-context.test-helper.ts'

const twice: RetryFailed = ({ failures }) => (failures <= 2 ? failures * 1_000 : undefined)

/** Says that it looks, and fails that many times before it answers. */
function clumsy(times: number) {
  const runs = { count: 0 }
  const agent = async ({ respond }: ActorContext) => {
    await respond({ parts: [{ partType: 'ack', text: 'Looking.' }], turnState: 'awaiting' })
    if (runs.count++ < times) throw new BeachError('TIMEOUT', 'password hunter2')
    await respond({ parts: [{ partType: 'response', text: 'Found.' }], turnState: 'complete' })
  }
  return { agent, runs }
}

async function begun(
  there: TestContext,
  actors: Parameters<TestContext['process']>[0],
  options?: Partial<SessionTurnManagerOptions>,
) {
  const process = there.process(actors, { retryFailed: twice, ...options })
  const session = await process.sessions.open({ principal: alice })
  const seen = follow(process.sessions, session)
  await process.sessions.post(session, said('go'), alice)
  return { ...process, session, seen }
}

function agentParts(frames: readonly Frame[]): Part[] {
  return frames.flatMap((frame) => (frame.kind === 'part' && frame.role === 'agent' ? [frame.part] : []))
}

const errors = (frames: readonly Frame[]) => agentParts(frames).filter(({ metadata }) => metadata.partType === 'error')

describe('a turn that failed', () => {
  test('and then answered has only the answer in its envelope', async () => {
    const there = testContext()
    const { agent } = clumsy(1)
    const { sessions, session, seen } = await begun(there, { agent })
    await eventually(() => errors(seen.frames).length === 1)
    await there.runtime.clock.advance(1_000)
    await seen.settled()
    const { turnId = '' } = seen.frames.find((frame) => frame.kind === 'settled') ?? {}
    const envelope = await sessions.envelope(session, turnId, reader('mailbox'))
    expect(envelope?.parts.map((part) => part.metadata.partType)).toEqual(['response'])
  })

  test('says when it is tried again, each time anew, and then answers', async () => {
    const there = testContext()
    const { clock } = there.runtime
    const start = clock.now()
    const { agent, runs } = clumsy(2)
    const { sessions, session, seen } = await begun(there, { agent })
    for (const [index, delay] of [1_000, 2_000].entries()) {
      await eventually(() => errors(seen.frames).length === index + 1)
      expect(errors(seen.frames).at(-1)?.metadata).toEqual({
        partType: 'error',
        code: 'TIMEOUT',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
        failures: index + 1,
        retryAt: new Date(clock.now() + delay).toISOString(),
      })
      expect((await sessions.view(session, alice)).turn).toMatchObject({ turnState: 'awaiting' })
      await clock.advance(delay - 1)
      expect(runs.count).toBe(index + 1)
      await clock.advance(1)
    }
    await seen.settled()
    expect(clock.now()).toBe(start + 3_000)
    expect(seen.frames.at(-1)).toMatchObject({ turnState: 'complete', finalizedBy: 'complete' })
    expect(agentParts(seen.frames).map(({ metadata }) => metadata.partType)).toEqual([
      'ack',
      'error',
      'error',
      'response',
    ])
    expect(JSON.stringify(await eventsOf(there, session))).not.toContain('hunter2')
  })

  test('ends in an error when the policy gives up', async () => {
    const there = testContext()
    const asked: unknown[] = []
    const retryFailed: RetryFailed = (failure) => {
      asked.push(failure)
      return twice(failure)
    }
    const { seen } = await begun(there, { agent: clumsy(9).agent }, { retryFailed })
    await there.runtime.clock.advance(10_000)
    await seen.settled()
    expect(asked).toEqual([1, 2, 3].map((failures) => ({ code: 'TIMEOUT', failures })))
    expect(errors(seen.frames)).toHaveLength(3)
    expect(errors(seen.frames).at(-1)?.metadata).toMatchObject({ partType: 'error', code: 'TIMEOUT' })
    expect(seen.frames.at(-1)).toMatchObject({ turnState: 'error', finalizedBy: 'error' })
  })

  test('is tried again by the next process, at the same time', async () => {
    const there = testContext()
    const { agent, runs } = clumsy(1)
    const first = await begun(there, { agent }, { retryFailed: () => 60_000 })
    await eventually(() => errors(first.seen.frames).length === 1)
    first.crash()
    const { sessions } = there.process({ agent })
    const seen = follow(sessions, first.session)
    await there.runtime.clock.advance(59_999)
    expect(runs.count).toBe(1)
    await there.runtime.clock.advance(1)
    await seen.settled()
    expect(runs.count).toBe(2)
  })

  test('keeps a message waiting until it is over', async () => {
    const there = testContext()
    const { agent } = clumsy(1)
    const { sessions, session, seen } = await begun(there, { agent })
    await eventually(() => errors(seen.frames).length === 1)
    await sessions.post(session, said('and?'), alice)
    await there.runtime.clock.advance(999)
    expect(await sessions.view(session, alice)).toMatchObject({ waiting: 1 })
    await there.runtime.clock.advance(1)
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'complete')
    await eventually(async () => (await sessions.view(session, alice)).waiting === 0)
  })

  test('can be cancelled while it waits', async () => {
    const there = testContext()
    const { agent, runs } = clumsy(1)
    const { sessions, session, seen } = await begun(there, { agent })
    await eventually(() => errors(seen.frames).length === 1)
    expect(await sessions.cancel(session, undefined, alice)).toBe(true)
    await seen.settled()
    expect(seen.frames.at(-1)).toMatchObject({ finalizedBy: 'cancelled' })
    await there.runtime.clock.advance(60_000)
    expect(runs.count).toBe(1)
  })

  test('is tried again in time while work runs in parallel, and finds that work', async () => {
    const there = testContext()
    const find = handWork()
    let runs = 0
    const agent = defineActor(
      async ({ respond, manifest }) => {
        const opened = await manifest({ name: 'x', slots: { a: { work: 'find', args: 'a' } } })
        if (runs++ === 0) throw new Error('broken')
        const { results } = await opened.settled()
        await respond({ parts: [{ partType: 'response', text: results[0]?.outcome ?? '' }], turnState: 'complete' })
      },
      { works: { find: find.work } },
    )
    const { seen } = await begun(there, { agent })
    await find.started('a')
    await eventually(() => errors(seen.frames).length === 1)
    await there.runtime.clock.advance(1_000)
    await eventually(() => runs === 2)
    ;(await find.started('a')).finish()
    await seen.settled()
    expect(agentParts(seen.frames).at(-1)?.text).toBe('ok')
    expect(find.runs).toHaveLength(1)
  })

  test('is told to a buffered originator at once, and not again with the answer', async () => {
    const there = testContext()
    const box = postbox()
    const { agent } = clumsy(1)
    const process = there.process({ agent }, { retryFailed: twice, channels: [box.channel] })
    const session = await process.sessions.open({ principal: alice })
    await process.sessions.post(session, { ...said('go'), from: reader('anna') }, alice)
    await eventually(() => box.got('anna').length === 1)
    await there.runtime.clock.advance(1_000)
    await eventually(() => box.got('anna').length === 2)
    expect(box.got('anna').map(contents)).toEqual([
      [['error', 'Something went wrong while answering. Please try again.']],
      [['response', 'Found.']],
    ])
  })
})
