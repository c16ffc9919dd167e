import { simulatedRuntime, type Slice, type Store } from '@cool-ai/beach-core'
import { SessionLog, type EventDraft } from '@cool-ai/beach-core/log'
import { describe, expect, test } from 'vitest'
import { MemoryStore } from '../stores/memory/memory-store.ts'
import { alice, eventually, said, testContext } from '../host/test-context.test-helper.ts'

/** A world whose tails are counted, and one of which may fail at its beginning. */
function counted({ failures = 0 } = {}) {
  const there = testContext()
  const { store } = there
  const tail = store.tail.bind(store)
  const count = { begun: 0, open: 0 }
  store.tail = (...place) => {
    if (count.begun++ < failures) throw new Error('The store is away.')
    const items = tail(...place)[Symbol.asyncIterator]()
    count.open++
    const end = async () => {
      count.open--
      return (await items.return?.()) ?? { done: true as const, value: undefined }
    }
    return { [Symbol.asyncIterator]: () => ({ next: () => items.next(), return: end }) }
  }
  return { there, count }
}

const waits = ({ signal }: { signal: AbortSignal }) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

test('a host whose tail fails at once tries again, and lets go of it at its end', async () => {
  const { there, count } = counted({ failures: 1 })
  const { sessions } = there.process({ actor: waits })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  await eventually(() => count.begun === 1)
  await there.runtime.clock.advance(500)
  await eventually(() => count.open === 1)
  await sessions.stop()
  expect(count.open).toBe(0)
})

test('a host that cannot make anything of what it is told lets go of the tail before the next', async () => {
  const { there, count } = counted()
  const { sessions } = there.process({ actor: waits })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  for (let round = 1; round < 4; round++) {
    await eventually(() => count.begun === round && count.open === 1)
    there.store.publish(session, null)
    await eventually(() => count.open === 0)
    await there.runtime.clock.advance(500)
  }
  await sessions.stop()
  expect(count.open).toBe(0)
})

/** A store some of whose calls are made by others. */
function storeWith(store: Store, calls: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (Object.hasOwn(calls, name)) return Reflect.get(calls, name) as unknown
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

const opened: EventDraft = { type: 'sessionOpened', tenant: 't', payload: { owner: alice } }

test('a state that is being folded anew is not shown', async () => {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  let hold: Promise<void> | undefined
  const slowly = storeWith(store, {
    read: async (...place) => {
      if (place[1] === 0) await hold
      return store.read(...place)
    },
  })
  const here = new SessionLog({ store: slowly, runtime, slices: [] })
  const there = new SessionLog({ store, runtime, slices: [] })
  await here.commit('s', () => [opened])
  const payload = { originatorIds: [] }
  await there.commit('s', () => [{ type: 'dataErased', scope: 'rewritten', by: 'owner', payload }])
  const { promise, resolve } = Promise.withResolvers<void>()
  hold = promise
  const anew = here.load('s')
  await new Promise((next) => setImmediate(next))
  const meanwhile = here.load('s', 0)
  resolve()
  expect((await meanwhile).head).toBe((await anew).head)
})

test('commits of one process at the same time are folded once each, however late the store confirms them', async () => {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  let confirms = 0
  const slowly = storeWith(store, {
    append: async (...write) => {
      const head = await store.append(...write)
      // The first of each pair is confirmed after the other could have read what it wrote.
      if (confirms++ % 2 === 1) for (let round = 0; round < 10; round++) await new Promise((next) => setImmediate(next))
      return head
    },
  })
  const count: Slice<number> = { ns: 'count', version: 1, initial: 0, fold: (state) => state + 1 }
  const log = new SessionLog({ store: slowly, runtime, slices: [count] })
  await log.commit('s', () => [opened])
  const asked: EventDraft = { type: 'cancelRequested', turnId: 'turn_1' }
  for (let pair = 0; pair < 3; pair++) {
    await Promise.all([log.commit('s', () => [asked]), log.commit('s', () => [asked])])
  }
  expect(await log.load('s')).toMatchObject({ head: 7, state: { count: 7 } })
})

describe('a process that knows a session', () => {
  const texts: Slice<readonly unknown[]> = {
    ns: 'texts',
    version: 1,
    initial: [],
    fold: (state, event) => (event.type === 'sliceEvent' ? [...state, event.payload] : state),
  }
  const note = (value: string): EventDraft => ({ type: 'sliceEvent', ns: 'texts', name: 'noted', payload: { value } })

  async function known() {
    const runtime = simulatedRuntime()
    const store = new MemoryStore({ runtime })
    const here = new SessionLog({ store, runtime, slices: [texts] })
    await here.commit('s', () => [opened, note('a secret')])
    return { store, here, there: new SessionLog({ store, runtime, slices: [texts] }) }
  }

  test('knows nothing any more of what another process has erased there', async () => {
    const { store, here, there } = await known()
    const payload = { originatorIds: [] }
    await there.commit('s', () => [{ type: 'dataErased', scope: 'rewritten', by: 'owner', payload }])
    const rewritten = (await store.read('s', 0)).map(({ seq, data }) => {
      const { payload: _, ...header } = data as Record<string, unknown>
      return { seq, data: header.type === 'sliceEvent' ? header : data }
    })
    await store.erase('s', rewritten)
    expect((await here.load('s')).state.texts).toEqual([undefined])
  })

  test('folds all that another process has written, also when it is more than one page', async () => {
    const { here, there } = await known()
    await there.commit('s', () => Array.from({ length: 600 }, (_, n) => note(String(n))))
    expect((await here.load('s')).state.texts).toHaveLength(601)
  })

  test('begins it anew when another process has dropped its log', async () => {
    const { store, here } = await known()
    await store.drop('s')
    await here.commit('s', (state) => [note(`after ${JSON.stringify(state.texts)}`)])
    expect((await here.load('s')).state.texts).toEqual([{ value: 'after []' }])
  })
})
