import { simulatedRuntime, type Store } from '@cool-ai/beach-core'
import { SessionLog } from '@cool-ai/beach-core/log'
import { expect, test } from 'vitest'
import { MemoryStore } from './memory/memory-store.ts'
import { alice, eventually, said, world } from './world.test-helper.ts'

/** A world whose tails are counted, and one of which may fail at its beginning. */
function counted({ failures = 0 } = {}) {
  const there = world()
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

test('nobody is shown a state that is being folded anew', async () => {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  let hold: Promise<void> | undefined
  const read = async (...place: Parameters<Store['read']>) => {
    if (place[1] === 0) await hold
    return store.read(...place)
  }
  const slowly = new Proxy(store, {
    get: (target, name) => {
      if (name === 'read') return read
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  const here = new SessionLog({ store: slowly, runtime, slices: [] })
  const there = new SessionLog({ store, runtime, slices: [] })
  await here.commit('s', () => [{ type: 'sessionOpened', tenant: 't', payload: { owner: alice } }])
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
