import type { Slice, Store } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { Lease } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import { postbox, reader } from '../delivery/postbox.test-helper.ts'
import { defineActor, type ActorContext } from '../turn/function-actor.ts'
import { handWork } from '../manifests/works.test-helper.ts'
import {
  alice,
  eventsOf,
  eventually,
  follow,
  handFed,
  processView,
  said,
  testContext,
} from './test-context.test-helper.ts'

const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs

const count = (events: readonly SessionEvent[], type: string) => events.filter((event) => event.type === type).length
const done = { parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' } as const

/** A turn that runs until the test ends it, on one of two processes. */
async function held(leaseMs = 10_000) {
  const there = testContext()
  const speech = handFed()
  const agent = (turn: ActorContext) =>
    turn.respond({ parts: [{ partType: 'response', text: speech.text }], turnState: 'complete' })
  const holder = there.process({ agent }, { leaseMs })
  const session = await holder.sessions.open({ principal: alice })
  await holder.sessions.post(session, said('go'), alice)
  await eventually(async () => count(await eventsOf(there, session), 'turnStarted') === 1)
  const other = there.process({ agent: (turn) => turn.respond(done) }, { leaseMs })
  // The other one has begun to wait.
  await there.runtime.clock.advance(1)
  return { there, speech, holder, other, session, seen: follow(other.sessions, session) }
}

describe.each([
  ['back', -hourMs],
  ['forward', hourMs],
])('when the clock is set %s', (_, step) => {
  test('a host that lives goes on with its turn, and no other host takes it', async () => {
    const { there, speech, session, seen } = await held()
    there.runtime.clock.step(step)
    await there.runtime.clock.advance(60_000)
    speech.feed('still mine')
    speech.end()
    await seen.settled()
    const events = await eventsOf(there, session)
    expect(count(events, 'turnResumed')).toBe(0)
    expect(JSON.stringify(events)).toContain('still mine')
  })

  test('the turn of a host that has died is taken over within two leases', async () => {
    const { there, holder, session, seen } = await held()
    holder.crash()
    there.runtime.clock.step(step)
    await there.runtime.clock.advance(20_000)
    await seen.settled()
    expect(count(await eventsOf(there, session), 'turnResumed')).toBe(1)
  })

  test('a turn that failed is tried again when it was to be', async () => {
    const there = testContext()
    let runs = 0
    const agent = async ({ respond }: ActorContext) => {
      if (runs++ === 0) throw new Error('not yet')
      await respond(done)
    }
    const { sessions } = there.process({ agent }, { retryFailed: () => 2_000 })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await eventually(async () => count(await eventsOf(there, session), 'turnRetryScheduled') === 1)
    await there.runtime.clock.advance(1)
    there.runtime.clock.step(step)
    await there.runtime.clock.advance(step < 0 ? 2_000 : 30_000)
    await seen.settled()
  })

  test('a delivery that failed is tried again when it was to be', async () => {
    const there = testContext()
    const box = postbox({ push: { delaysMs: [2_000] } })
    box.outcome = () => ({ status: box.attempts.length === 1 ? 'failed' : 'sent' })
    const { sessions } = there.process({ agent: (turn) => turn.respond(done) }, { channels: [box.channel] })
    const session = await sessions.open({ principal: alice })
    await sessions.post(session, { ...said('go'), from: reader('ann') }, alice)
    await eventually(async () => count(await eventsOf(there, session), 'deliveryFailed') === 1)
    await there.runtime.clock.advance(1)
    there.runtime.clock.step(step)
    await there.runtime.clock.advance(step < 0 ? 2_000 : 30_000)
    expect(box.attempts).toHaveLength(2)
  })
})

test.each([1, 2, 3])(
  'a retry is not put off when the clock is set back at look %i before its session is given back',
  async (nth) => {
    const there = testContext()
    let [runs, looks] = [0, 0]
    const agent = async ({ respond }: ActorContext) => {
      if (runs++ === 0) throw new Error('not yet')
      await respond(done)
    }
    /** Sets the clock back while the host looks. */
    const setting: Slice<boolean> = {
      ns: 'setting',
      version: 1,
      initial: false,
      fold: (state, { type }) => state || type === 'turnRetryScheduled',
      effects: (isPlanned) => {
        if (isPlanned && ++looks === nth) there.runtime.clock.step(-hourMs)
        return []
      },
    }
    const { sessions } = there.process({ agent }, { retryFailed: () => 2_000, slices: [setting] })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await there.runtime.clock.advance(4_000)
    await seen.settled()
  },
)

test('a retry is not put off when the clock is set back before a slow store has written its wake', async () => {
  const there = testContext()
  let [runs, released] = [0, 0]
  const agent = async ({ respond }: ActorContext) => {
    if (runs++ === 0) throw new Error('not yet')
    await respond(done)
  }
  const slow = (lease: Lease): Lease => ({
    ...lease,
    release: (nextWakeAt) => {
      if (released++ === 0) there.runtime.clock.step(-hourMs)
      return lease.release(nextWakeAt)
    },
  })
  const store = Object.assign(processView(there.store), {
    appendAndClaim: async (...args: Parameters<Store['appendAndClaim']>) => {
      const { head, lease } = await there.store.appendAndClaim(...args)
      return { head, ...(lease && { lease: slow(lease) }) }
    },
  })
  const { sessions } = there.process({ agent }, { retryFailed: () => 2_000, store })
  const session = await sessions.open({ principal: alice })
  const seen = follow(sessions, session)
  await sessions.post(session, said('go'), alice)
  await there.runtime.clock.advance(4_000)
  await seen.settled()
  expect(released).toBe(1)
})

test('a deadline of work in parallel to a turn comes no later by a clock that was set back across a crash', async () => {
  const there = testContext()
  const work = handWork({ idempotent: true })
  const agent = {
    ...defineActor(async (turn) => {
      const plan = { name: 'all', slots: { a: { slotKey: 'a', work: 'find' } }, deadlineMs: 5_000 }
      if (turn.text === 'go') await turn.manifest(plan)
      await turn.respond(done)
    }),
    works: { find: work.work },
  }
  const first = there.process({ agent })
  const session = await first.sessions.open({ principal: alice })
  await first.sessions.post(session, said('go'), alice)
  await work.started(undefined)
  first.crash()
  there.runtime.clock.step(-hourMs)
  there.process({ agent })
  // Two leases until the other has it, and then as long as the work may take.
  await there.runtime.clock.advance(25_000)
  expect(count(await eventsOf(there, session), 'manifestSettled')).toBe(1)
})

test('an approval expires at the time that was told, also after the clock was set back', async () => {
  const there = testContext()
  const agent = async (turn: ActorContext) => {
    const expiresAt = there.runtime.clock.now() + 30 * dayMs
    const call = { name: 'pay', args: {}, requiresApproval: true, approvalExpiresAt: expiresAt }
    const { outcome } = await turn.tool(call, async () => 'paid')
    await turn.respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
  }
  const { sessions } = there.process({ agent })
  const session = await sessions.open({ principal: alice })
  const seen = follow(sessions, session)
  const { clock } = there.runtime
  const reported = clock.now() + 30 * dayMs
  await sessions.post(session, said('go'), alice)
  await eventually(async () => count(await eventsOf(there, session), 'approvalRequested') === 1)
  await clock.advance(1)
  clock.step(-dayMs)
  await clock.advance(60_000)
  expect(count(await eventsOf(there, session), 'approvalDecided')).toBe(0)
  clock.step(reported - clock.now())
  await clock.advance(60_000)
  await seen.settled()
  expect(count(await eventsOf(there, session), 'approvalDecided')).toBe(1)
})

test('an idempotency key is remembered when the clock is set back, and no longer than it would be otherwise', async () => {
  const there = testContext()
  const { clock } = there.runtime
  const { sessions } = there.process({ agent: (turn) => turn.respond(done) })
  const session = await sessions.open({ principal: alice })
  const post = async (key: string) => (await sessions.post(session, said(key, key), alice)).duplicate
  clock.step(365 * dayMs)
  expect(await post('a')).toBe(false)
  clock.step(-365 * dayMs)
  expect(await post('b')).toBe(false)
  await clock.advance(23 * hourMs)
  expect([await post('a'), await post('b')]).toEqual([true, true])
  // Two generations of a day later both are gone, though by the clock that was ahead only two days have passed of a year.
  for (const key of ['c', 'd']) {
    await clock.advance(25 * hourMs)
    expect(await post(key)).toBe(false)
  }
  expect([await post('a'), await post('b')]).toEqual([false, false])
})

test('an idempotency key is known for a day, also when a new day of its session begins in between', async () => {
  const there = testContext()
  const { clock } = there.runtime
  const { sessions } = there.process({ agent: (turn) => turn.respond(done) })
  const session = await sessions.open({ principal: alice })
  const post = async (key: string) => (await sessions.post(session, said(key, key), alice)).duplicate
  expect(await post('first')).toBe(false)
  await clock.advance(23 * hourMs)
  expect(await post('late')).toBe(false)
  await clock.advance(2 * hourMs)
  expect(await post('next day')).toBe(false)
  await clock.advance(21 * hourMs)
  expect(await post('late')).toBe(true)
})
