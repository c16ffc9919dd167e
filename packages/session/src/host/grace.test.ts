import { BeachError, type Slice, type Store } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { EffectRun, Lease } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import type { ActorContext } from '../turn/function-actor.ts'
import { alice, eventually, said, testContext } from './test-context.test-helper.ts'

/** A slice with work that goes on for a minute after its host was told to stop, if it may. */
function working() {
  const runs: EffectRun[] = []
  const slice: Slice<{ readonly isWanted: boolean }> = {
    ns: 'work',
    version: 1,
    initial: { isWanted: false },
    fold: (state, event: SessionEvent) => (event.type === 'messageReceived' ? { isWanted: true } : state),
    effects: ({ isWanted }) => {
      const run = (given: EffectRun) => {
        runs.push(given)
        return new Promise<void>(() => {})
      }
      return isWanted ? [{ key: 'it', graceMs: 60_000, run }] : []
    },
  }
  return { runs, slice }
}

async function answers({ respond }: ActorContext): Promise<void> {
  await respond({ parts: [{ partType: 'response', text: 'Yes.' }], turnState: 'complete' })
}

/** The store, whose leases another host can take over. */
function stealable(store: Store): { readonly store: Store; readonly steal: () => void } {
  let isStolen = false
  const lease = (one: Lease): Lease => ({
    session: one.session,
    renew: async () => !isStolen && one.renew(),
    release: (nextWakeAt) => one.release(nextWakeAt),
  })
  const stolen = new Proxy(store, {
    get(_, name: keyof Store) {
      if (name === 'claim') {
        return async (...args: Parameters<Store['claim']>) => {
          const claimed = await store.claim(...args)
          return claimed && lease(claimed)
        }
      }
      if (name === 'appendAndClaim') {
        return async (...args: Parameters<Store['appendAndClaim']>) => {
          const begun = await store.appendAndClaim(...args)
          return { ...begun, ...(begun.lease && { lease: lease(begun.lease) }) }
        }
      }
      const own = store[name]
      return typeof own === 'function' ? own.bind(store) : own
    },
  })
  return { store: stolen, steal: () => (isStolen = true) }
}

test('work in its grace ends at once when another host has the session', async () => {
  const there = testContext()
  const { store, steal } = stealable(there.store)
  const { runs, slice } = working()
  const { sessions } = there.process({ answers }, { store, slices: [slice], leaseMs: 1_000 })
  const id = await sessions.open({ principal: alice })
  await sessions.post(id, said('hello'), alice)
  await eventually(() => runs.length === 1)
  const stopped = sessions.stop()
  await there.runtime.clock.advance(1_000)
  expect(runs[0]?.signal.aborted).toBe(false)
  steal()
  await there.runtime.clock.advance(1_000)
  expect(runs[0]?.signal.aborted).toBe(true)
  await stopped
})

test('work has no grace when its session was taken over, or failed', async () => {
  const { runs, slice } = working()
  const loser = async () => {
    await eventually(() => runs.length === 1)
    throw new BeachError('LEASE_LOST', 'Another host has taken over this session; this one must stop.')
  }
  const { sessions } = testContext().process({ loser }, { slices: [slice] })
  const id = await sessions.open({ principal: alice })
  await sessions.post(id, said('hello'), alice)
  await eventually(() => runs[0]?.signal.aborted === true)
})

test('work that has failed is tried again after a second, also when the session was given back meanwhile', async () => {
  const there = testContext()
  let tries = 0
  const slice: Slice<{ readonly isWanted: boolean }> = {
    ...working().slice,
    nextWakeAt: ({ isWanted }) => (isWanted ? 0 : undefined),
    effects: ({ isWanted }) => {
      const run = () => (++tries < 5 ? Promise.reject(new Error('It is not there.')) : new Promise<void>(() => {}))
      return isWanted ? [{ key: 'it', run }] : []
    },
  }
  const { sessions } = there.process({ answers }, { slices: [slice] })
  const id = await sessions.open({ principal: alice })
  await sessions.post(id, said('hello'), alice)
  await there.runtime.clock.advance(999)
  expect(tries).toBe(1)
  await there.runtime.clock.advance(1)
  expect(tries).toBe(2)
})
