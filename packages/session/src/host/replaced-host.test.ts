import type { Clock, Store } from '@cool-ai/beach-core'
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
  handFed,
  said,
  testContext,
  type TestContext,
} from './test-context.test-helper.ts'

const done = { parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' } as const
const count = (events: readonly SessionEvent[], type: string) => events.filter((event) => event.type === type).length

/** An actor that has work done in parallel to its first turn, and speaks for as long as the test wants. */
function researcher(work: ReturnType<typeof handWork>, speech: AsyncIterable<string> = handFed().text) {
  return {
    ...defineActor(async (turn) => {
      const slots = { a: { slotKey: 'a', work: 'find', args: 'a' } }
      if (turn.text === 'speak') {
        return turn.respond({ parts: [{ partType: 'response', text: speech }], turnState: 'complete' })
      }
      if (turn.text === 'go') await turn.manifest({ name: 'all', slots })
      await turn.respond(done)
    }),
    works: { find: work.work },
  }
}

/** Changes every lease that the store gives. */
function withLeases(store: Store, change: (lease: Lease) => Lease): void {
  const [claim, appendAndClaim] = [store.claim.bind(store), store.appendAndClaim.bind(store)]
  store.claim = async (...args) => {
    const lease = await claim(...args)
    return lease && change(lease)
  }
  store.appendAndClaim = async (...args) => {
    const { head, lease } = await appendAndClaim(...args)
    return { head, ...(lease && { lease: change(lease) }) }
  }
}

describe('a host whose lease is not renewed', () => {
  test.each([
    ['because it is lost', async () => false],
    ['because the store fails', () => Promise.reject(new Error('the store was away'))],
  ])('stops its actor at once, %s', async (_, renew) => {
    const there = testContext()
    withLeases(there.store, (lease) => ({ ...lease, renew }))
    const signals: AbortSignal[] = []
    const { sessions } = there.process(
      {
        agent: async ({ signal }: ActorContext) => {
          signals.push(signal)
          await new Promise(() => {})
        },
      },
      { leaseMs: 10_000 },
    )
    const session = await sessions.open({ principal: alice })
    await sessions.post(session, said('go'), alice)
    await eventually(() => signals.length === 1)
    // The first renewal, long before the lease would have run out.
    await there.runtime.clock.advance(3_001)
    expect(signals[0]?.aborted).toBe(true)
  })
})

describe('a host that was replaced', () => {
  test('does not put on record what its work has come to', async () => {
    const there = testContext()
    const [late, current] = [handWork({ idempotent: true }), handWork({ idempotent: true })]
    const zombie = there.process({ agent: researcher(late) })
    const session = await zombie.sessions.open({ principal: alice })
    await zombie.sessions.post(session, said('go'), alice)
    const first = await late.started('a')
    await eventually(async () => count(await eventsOf(there, session), 'turnSettled') === 1)
    zombie.oversleep()
    const holder = there.process({ agent: researcher(current) })
    await there.runtime.clock.advance(10_000)
    const second = await current.started('a')
    // With a turn of its own the new host has shown that the session is its.
    await holder.sessions.post(session, said('again'), alice)
    await eventually(async () => count(await eventsOf(there, session), 'turnSettled') === 2)
    first.finish('from the host that was replaced')
    for (let round = 0; round < 20; round++) await there.runtime.clock.advance(0)
    expect(count(await eventsOf(there, session), 'slotFilled')).toBe(0)
    second.finish('from the host that has the lease')
    await eventually(async () => count(await eventsOf(there, session), 'slotFilled') === 1)
    const text = JSON.stringify(await eventsOf(there, session))
    expect(text).toContain('from the host that has the lease')
    expect(text).not.toContain('from the host that was replaced')
  })

  test('begins no turn when it wakes up, though the other has not begun one yet', async () => {
    const there = testContext()
    const sleeper = asleep(there)
    const work = handWork({ idempotent: true })
    const speech = handFed()
    const agent = researcher(work, speech.text)
    const runtime = { ...there.runtime, clock: sleeper.clock }
    const { sessions } = there.process({ agent }, { runtime, limits: { concurrentTurns: 1 } })
    const session = await sessions.open({ principal: alice })
    await sessions.post(session, said('go'), alice)
    await work.started('a')
    await eventually(async () => count(await eventsOf(there, session), 'turnSettled') === 1)
    // The only room for a turn is taken by another session.
    const other = await sessions.open({ principal: alice })
    await sessions.post(other, said('speak'), alice)
    await eventually(async () => count(await eventsOf(there, other), 'turnStarted') === 1)
    await sessions.post(session, said('again'), alice)
    await there.runtime.clock.advance(1)
    sleeper.sleeps()
    const claimed: (string | undefined)[] = []
    for (let claims = 0; claims < 2; claims++) {
      void there.store.claim(60_000, new AbortController().signal).then((lease) => claimed.push(lease?.session))
    }
    await there.runtime.clock.advance(10_000)
    expect(claimed).toContain(session)
    speech.end()
    for (let round = 0; round < 50; round++) await there.runtime.clock.advance(0)
    expect(count(await eventsOf(there, session), 'turnStarted')).toBe(1)
  })
})

/** A process whose timers do not fire while it sleeps, as those of a process that was stopped do not. */
function asleep({ runtime }: TestContext) {
  let isAsleep = false
  const { clock } = runtime
  const slow: Clock = {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    timer: (ms, run) =>
      clock.timer(ms, () => {
        if (!isAsleep) run()
      }),
  }
  return { clock: slow, sleeps: () => (isAsleep = true) }
}

test('what became of an attempt to deliver counts for that attempt only', async () => {
  const there = testContext()
  const box = postbox({ push: { delaysMs: [1_000, 1_000] } })
  const append = there.store.append.bind(there.store)
  let isFirst = true
  // When the outcome of the first attempt is written, another host has already recorded that it failed.
  there.store.append = async (session, expected, events, wakeAt) => {
    const sent = (events as SessionEvent[]).find(({ type }) => type === 'deliverySent')
    if (!isFirst || sent?.type !== 'deliverySent') return append(session, expected, events, wakeAt)
    isFirst = false
    const { deliveryId, originatorId } = sent
    const at = there.runtime.clock.now()
    const failed = {
      type: 'deliveryFailed',
      deliveryId,
      originatorId,
      attempt: 1,
      nextAt: at + 1_000,
      id: 'ev_x',
      v: 1,
      at,
    }
    await append(session, expected, [failed])
    return append(session, expected, events, wakeAt)
  }
  const { sessions } = there.process({ agent: (turn) => turn.respond(done) }, { channels: [box.channel] })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, { ...said('go'), from: reader('ann') }, alice)
  await eventually(async () => count(await eventsOf(there, session), 'deliveryFailed') === 1)
  await there.runtime.clock.advance(999)
  expect(count(await eventsOf(there, session), 'deliverySent')).toBe(0)
  await there.runtime.clock.advance(1)
  expect(count(await eventsOf(there, session), 'deliverySent')).toBe(1)
  expect(box.attempts).toHaveLength(2)
})

test('what an effect has done is put on record though its host resumes the turn in the same moment', async () => {
  const there = testContext()
  const box = postbox()
  const sending = Promise.withResolvers<{ status: 'sent' }>()
  box.outcome = () => (box.attempts.length === 1 ? sending.promise : { status: 'sent' })
  const { promise: resuming, resolve: resumes } = Promise.withResolvers<void>()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const append = there.store.append.bind(there.store)
  there.store.append = async (session, expected, events, wakeAt) => {
    if ((events as SessionEvent[]).some(({ type }) => type === 'turnResumed')) {
      resumes()
      await held
    }
    return append(session, expected, events, wakeAt)
  }
  const { sessions } = there.process(
    {
      agent: async ({ tool, respond }: ActorContext) => {
        await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
        await respond(done)
      },
    },
    { channels: [box.channel] },
  )
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, { ...said('pay'), from: reader('ann') }, alice)
  await eventually(() => box.attempts.length === 1)
  const asked = (await eventsOf(there, session)).find(({ type }) => type === 'approvalRequested')
  const { approvalId } = asked as Extract<SessionEvent, { type: 'approvalRequested' }>
  await sessions.decide(approvalId, { decision: 'granted' }, alice)
  await resuming
  // The outcome of the delivery waits for its place in the log, behind the turn.
  sending.resolve({ status: 'sent' })
  for (let round = 0; round < 20; round++) await there.runtime.clock.advance(0)
  letGo()
  await eventually(async () => count(await eventsOf(there, session), 'deliverySent') === 2)
  await there.runtime.clock.advance(60_000)
  expect(box.attempts.map(({ key }) => key)).toEqual([...new Set(box.attempts.map(({ key }) => key))])
})
