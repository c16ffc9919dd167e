import { PartTypeRegistry, TurnStateRegistry, type Inbound, type Store } from '@cool-ai/beach-core'
import type { Lease } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import { postbox, reader } from '../delivery/postbox.test-helper.ts'
import { handWork } from '../manifests/works.test-helper.ts'
import { defineActor, type ActorContext } from '../turn/function-actor.ts'
import { SessionTurnManager } from './session-turn-manager.ts'
import { alice, eventsOf, eventually, processView, said, testContext } from './test-context.test-helper.ts'

/** Calls wait here from `close` to `open`. */
function gate() {
  let waiting = Promise.resolve()
  let open = () => {}
  let isReached = false
  const pass = async () => {
    isReached = true
    await waiting
  }
  const close = () => {
    isReached = false
    waiting = new Promise((resolve) => (open = resolve))
  }
  return { pass, close, open: () => open(), reached: () => eventually(() => isReached) }
}

/** True once the promise has resolved. */
function watched(promise: Promise<unknown>): () => boolean {
  let isOver = false
  void promise.then(() => (isOver = true))
  return () => isOver
}

const fewRounds = async () => {
  for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve))
}

const answer = ({ respond }: ActorContext) =>
  respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })

/** An actor that ends only when it is stopped. */
const endless = async ({ signal }: ActorContext) => {
  await new Promise((_, reject) => signal.addEventListener('abort', reject))
}

/** A process whose messages are written, and its leases given back, when the test lets them. */
function gated(actor: (turn: ActorContext) => Promise<void>) {
  const there = testContext()
  const [writes, reads, releases] = [gate(), gate(), gate()]
  const slow = (lease: Lease): Lease => ({
    ...lease,
    release: async (nextWakeAt) => {
      await releases.pass()
      await lease.release(nextWakeAt)
    },
  })
  const view = processView(there.store)
  const store: Store = {
    ...view,
    appendAndClaim: async (...args) => {
      await writes.pass()
      const { head, lease } = await view.appendAndClaim(...args)
      return { head, ...(lease && { lease: slow(lease) }) }
    },
    read: async (...args) => {
      await reads.pass()
      return view.read(...args)
    },
  }
  const { sessions } = there.process({ actor }, { store })
  const types = async (session: string) => (await eventsOf(there, session)).map(({ type }) => type)
  return { there, sessions, writes, reads, releases, types }
}

test('a host that drains answers a message that was being written, and waits for it', async () => {
  const { sessions, writes, types } = gated(answer)
  const session = await sessions.open({ principal: alice })
  writes.close()
  const posted = sessions.post(session, said('go'), alice)
  await writes.reached()
  const drained = sessions.drain(20_000)
  const isOver = watched(drained)
  await fewRounds()
  expect(isOver()).toBe(false)
  writes.open()
  await posted
  await eventually(isOver)
  expect(await types(session)).toContain('turnSettled')
})

test('a host that stops gives back what a message that was being written has begun, and waits for that', async () => {
  const { there, sessions, writes, types } = gated(endless)
  const session = await sessions.open({ principal: alice })
  writes.close()
  const posted = sessions.post(session, said('go'), alice)
  await writes.reached()
  const isOver = watched(sessions.stop())
  await fewRounds()
  expect(isOver()).toBe(false)
  writes.open()
  await posted
  await eventually(isOver)
  expect(await types(session)).toContain('turnStarted')
  // No lease has to run out before another process goes on.
  there.process({ actor: answer })
  await eventually(async () => (await types(session)).includes('turnSettled'))
})

test('a host that stops while it reads a turn does not wait for its actor', async () => {
  const { sessions, reads } = gated(endless)
  const session = await sessions.open({ principal: alice })
  // Too much to be remembered: it is read again.
  const long: Inbound = said('x'.repeat(40_000))
  reads.close()
  await sessions.post(session, long, alice)
  await reads.reached()
  const isOver = watched(sessions.stop())
  await fewRounds()
  reads.open()
  await eventually(isOver)
})

test('a host has stopped only when the store has its sessions back', async () => {
  const { sessions, releases } = gated(endless)
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  releases.close()
  const isOver = watched(sessions.stop())
  await releases.reached()
  await fewRounds()
  expect(isOver()).toBe(false)
  releases.open()
  await eventually(isOver)
})

test('a host has stopped only when it is on record what was delivered', async () => {
  const there = testContext()
  const view = processView(there.store)
  const outcomes = gate()
  const store: Store = {
    ...view,
    append: async (...args) => {
      if (JSON.stringify(args[2]).includes('deliverySent')) await outcomes.pass()
      return view.append(...args)
    },
  }
  const box = postbox()
  const { sessions } = there.process({ answer }, { store, channels: [box.channel] })
  const session = await sessions.open({ principal: alice })
  outcomes.close()
  await sessions.post(session, { ...said('go'), from: reader('ann') }, alice)
  await outcomes.reached()
  const isOver = watched(sessions.stop())
  await fewRounds()
  expect(isOver()).toBe(false)
  outcomes.open()
  await eventually(isOver)
  expect((await eventsOf(there, session)).map(({ type }) => type)).toContain('deliverySent')
})

test('a message that came in by another process is answered while work in parallel to the turns goes on', async () => {
  const there = testContext()
  const work = handWork()
  const agent = {
    ...defineActor(async (turn) => {
      if (turn.text === 'go') await turn.manifest({ name: 'all', slots: { a: { slotKey: 'a', work: 'find' } } })
      await turn.respond({ parts: [{ partType: 'response', text: `done: ${turn.text}` }], turnState: 'complete' })
    }),
    works: { find: work.work },
  }
  const { sessions } = there.process({ agent })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  await work.started()
  const other = there.process({ agent })
  await other.sessions.post(session, said('and this?'), alice)
  await eventually(async () => JSON.stringify(await eventsOf(there, session)).includes('done: and this?'))
  expect(work.runs).toHaveLength(1)
})

test('a process whose host does not run takes messages in, and answers none', async () => {
  const there = testContext()
  const store = processView(there.store)
  const idle = new SessionTurnManager({
    store,
    runtime: there.runtime,
    partTypes: PartTypeRegistry.canonical(),
    turnStates: TurnStateRegistry.canonical(),
    actors: { agent: defineActor(answer) },
  })
  const session = await idle.open({ principal: alice })
  await idle.post(session, said('go'), alice)
  await fewRounds()
  const types = async () => (await eventsOf(there, session)).map(({ type }) => type)
  expect(await types()).not.toContain('turnStarted')
  there.process({ agent: answer })
  await eventually(async () => (await types()).includes('turnSettled'))
})
