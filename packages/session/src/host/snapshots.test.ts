import { followUpSlice } from '../approvals/follow-up-slice.ts'
import { allowanceSlice } from '../approvals/allowance-slice.ts'
import { isBeachError, type Actor, type Logger, type Principal, type Slice } from '@cool-ai/beach-core'
import { SessionLog, stateSlice } from '@cool-ai/beach-core/log'
import { describe, expect, test } from 'vitest'
import { clientSlice } from '../clients/client-slice.ts'
import { deliverySlice } from '../delivery/delivery-slice.ts'
import { never, reader } from '../delivery/postbox.test-helper.ts'
import { manifestSlice } from '../manifests/manifest-slice.ts'
import { MemoryStore } from '../stores/memory/memory-store.ts'
import type { SessionTurnManager } from './session-turn-manager.ts'
import { surfaceSlice } from '../surfaces/surface-slice.ts'
import { turnSlice } from '../turn/turn-slice.ts'
import { alice, eventually, follow, said, testContext, type TestContext } from './test-context.test-helper.ts'

const operator: Principal = { kind: 'operator', id: 'root', tenant: 'acme' }

/** Answers in one step, with the last twenty turns before it; can begin something that never ends. */
const agent: Actor = {
  works: { forever: { idempotent: true, run: never } },
  run: async (turn) => {
    const before = await turn.history(20)
    if (turn.messages[0]?.parts[0]?.text === 'for ever') {
      await turn.manifest({ name: 'for ever', slots: { a: { work: 'forever' } } })
    }
    const part = { text: `after ${before.length}`, metadata: { partType: 'response' } }
    await turn.commit({ turnState: 'complete', parts: [part], hash: 'answer' })
  },
}

/** Talks until the log has that many events; the store has no other session. */
async function talk(sessions: SessionTurnManager, session: string, length: number): Promise<void> {
  const view = () => sessions.view(session, alice)
  for (let turn = 0; (await view()).head < length; turn++) {
    await sessions.post(session, said(`message ${turn}`, `key ${turn}`), alice)
    await eventually(async () => {
      const { turn: open, waiting } = await view()
      return open === undefined && waiting === 0
    })
  }
}

/** Counts the events that are read from here on. */
function countReads({ store }: TestContext): { events: number } {
  const counted = { events: 0 }
  const read = store.read.bind(store)
  store.read = async (...args) => {
    const events = await read(...args)
    counted.events += events.length
    return events
  }
  return counted
}

/** How many events a new process reads to answer one more message in a session of that length. */
async function readByNext(length: number, first = 'hello'): Promise<number> {
  const there = testContext()
  const { sessions: before, crash } = there.process({ agent })
  const session = await before.open({ principal: alice })
  await before.post(session, said(first), alice)
  await talk(before, session, length)
  crash()
  await there.runtime.clock.advance(10_000)
  const counted = countReads(there)
  const { sessions } = there.process({ agent })
  const { seq } = await sessions.post(session, said('the next'), alice)
  const seen = follow(sessions, session, String(seq))
  await seen.settled()
  expect(seen.frames.find((frame) => frame.kind === 'part' && frame.role === 'agent')).toMatchObject({
    part: { text: 'after 20' },
  })
  return counted.events
}

// A snapshot is made after 200 events, and the last twenty turns of an actor that looks back are a hundred more.
const max = 600

describe('a long session', () => {
  test.each([1_000, 10_000])(
    'of %i events begins its next turn in a new process with a few hundred',
    async (length) => {
      expect(await readByNext(length)).toBeLessThan(max)
    },
  )

  test('does so too when its host never came to rest', async () => {
    expect(await readByNext(3_000, 'for ever')).toBeLessThan(max)
  })
})

describe('a snapshot', () => {
  async function used(there: TestContext) {
    const { sessions, crash } = there.process({ agent })
    const session = await sessions.open({ principal: alice })
    await sessions.join(session, reader('anna'), alice)
    await talk(sessions, session, 450)
    await eventually(async () => (await there.store.loadSnapshot(session)) !== undefined)
    return { sessions, session, crash }
  }

  /** The session as a process sees it that has just begun. */
  async function folded({ store, runtime }: TestContext, session: string) {
    const slices = [
      stateSlice,
      turnSlice,
      clientSlice,
      surfaceSlice,
      allowanceSlice,
      manifestSlice,
      deliverySlice,
      followUpSlice,
    ]
    const log = new SessionLog({ store, runtime, slices })
    return log.load(session)
  }

  test('that is dropped or of another version changes nothing', async () => {
    const there = testContext()
    const { session } = await used(there)
    const counted = countReads(there)
    const before = await folded(there, session)
    expect(counted.events).toBeLessThan(250)
    await there.store.saveSnapshot(session, before.head, -1, { turns: { mailbox: 'something else' } })
    const after = await folded(there, session)
    expect(counted.events).toBeGreaterThan(450)
    expect(after).toEqual(before)
  })

  test('that cannot be saved is told to the operator, and is no error', async () => {
    const { store, runtime } = testContext()
    const failing = Object.assign(store, { saveSnapshot: () => Promise.reject(new Error('the disk is full')) })
    const lines: string[] = []
    const logger: Logger = { log: (_, message) => void lines.push(message) }
    const log = new SessionLog({ store: failing, runtime: { ...runtime, logger }, slices: [] })
    const noted = { type: 'sliceEvent', ns: 'notes', name: 'noted', payload: { value: 1 } } as const
    await log.commit('s', () => Array.from({ length: 200 }, () => noted))
    await log.snapshot('s')
    expect(lines).toEqual(['saving a snapshot failed'])
  })

  test('is made anew also by a process that had believed a wrong one', async () => {
    const { store, runtime } = testContext()
    const counter: Slice<number> = { ns: 'counter', version: 1, initial: 0, fold: (count) => count + 1 }
    const log = () => new SessionLog({ store, runtime, slices: [counter] })
    const noted = { type: 'sliceEvent', ns: 'notes', name: 'noted', payload: { value: 1 } } as const
    await log().commit('s', () => [noted, noted, noted])
    const { head, state } = await log().rebuild('s')
    expect(state).toMatchObject({ counter: 3 })
    const { foldVersion = 0 } = (await store.loadSnapshot('s')) ?? {}
    await store.saveSnapshot('s', head, foldVersion, { ...state, counter: 7 })
    const misled = log()
    expect((await misled.load('s')).state).toMatchObject({ counter: 7 })
    expect((await misled.rebuild('s')).state).toMatchObject({ counter: 3 })
    expect((await log().load('s')).state).toMatchObject({ counter: 3 })
  })

  test('can be made anew from the whole log, by an operator', async () => {
    const there = testContext()
    const { sessions, session } = await used(there)
    const before = await folded(there, session)
    const view = await sessions.view(session, alice)
    const wrong = await there.store.loadSnapshot(session)
    await there.store.saveSnapshot(session, wrong?.seq ?? 0, wrong?.foldVersion ?? 0, { nothing: true })
    await expect(sessions.rebuild(session, alice)).rejects.toSatisfy((error) => isBeachError(error, 'FORBIDDEN'))
    await expect(sessions.rebuild('sess_none', operator)).rejects.toSatisfy((error) => isBeachError(error, 'NOT_FOUND'))
    expect(await sessions.rebuild(session, operator)).toEqual(view)
    expect(await there.store.loadSnapshot(session)).toMatchObject({ seq: before.head, state: before.state })
    expect(await folded(there, session)).toEqual(before)
    await sessions.post(session, said('and on'), alice)
    await follow(sessions, session, String(before.head)).settled()
  })
})

test('a write that was not confirmed is tried again after a while, and not at once', async () => {
  const { store, runtime } = testContext()
  let attempts = 0
  const append: typeof store.append = async (...args) => {
    if (++attempts === 1) throw new Error('the disk is away')
    return MemoryStore.prototype.append.apply(store, args)
  }
  const log = new SessionLog({ store: Object.assign(store, { append }), runtime, slices: [] })
  const committed = log.commit('s', () => [{ type: 'sessionOpened', tenant: 'acme' }])
  await eventually(() => attempts === 1)
  for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve))
  expect(attempts).toBe(1)
  await runtime.clock.advance(100)
  expect((await committed).events).toHaveLength(1)
  expect(attempts).toBe(2)
})
