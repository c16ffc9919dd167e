import { expect, test } from 'vitest'
import { sleep } from './clock.ts'
import { BeachError, isBeachError } from './errors.ts'
import type { Store } from './ports/store.ts'
import { SessionLog } from './session-log.ts'
import { SimulatedClock, simulatedRuntime } from './simulated-runtime.ts'

/** A log whose store answers each append after so long, or fails it while `away` says so. */
function logOn(ms: number) {
  const clock = new SimulatedClock()
  const state = { isAway: true, head: 0, appends: 0 }
  const store = {
    read: async () => [],
    loadSnapshot: async () => undefined,
    append: async (_session: string, _expected: number, events: readonly unknown[]) => {
      state.appends++
      await sleep(clock, ms)
      if (state.isAway) throw new BeachError('STORE_BUSY', 'The store is away.')
      return (state.head += events.length)
    },
  } as unknown as Store
  const log = new SessionLog({ store, runtime: simulatedRuntime({ clock }), slices: [] })
  const commit = (options?: { readonly epoch?: number }) =>
    log
      .commit('sess_1', () => [{ type: 'originatorLeft', originatorId: 'o' }], options)
      .then(
        () => 'done',
        (error: unknown) => (isBeachError(error) ? error.code : String(error)),
      )
  return { clock, state, commit }
}

test('while the store fails, callers who wait for each other on one session are all refused in time', async () => {
  const { clock, state, commit } = logOn(4_000)
  const waiting = Promise.all(Array.from({ length: 50 }, () => commit()))
  await clock.advance(8_000)
  expect(new Set(await waiting)).toEqual(new Set(['STORE_BUSY']))
  expect(state.appends).toBe(2)
})

test('those who have waited while the store was only slow are served', async () => {
  const { clock, state, commit } = logOn(4_000)
  state.isAway = false
  const waiting = Promise.all([commit(), commit(), commit()])
  await clock.advance(12_000)
  expect(await waiting).toEqual(['done', 'done', 'done'])
})

test('a host that has waited tries all the same, and those after it are served when it gets through', async () => {
  const { clock, state, commit } = logOn(6_000)
  const first = commit()
  const host = commit({ epoch: 1 })
  const last = commit()
  await clock.advance(6_000)
  expect(await first).toBe('STORE_BUSY')
  state.isAway = false
  await clock.advance(12_000)
  expect(await Promise.all([host, last])).toEqual(['done', 'done'])
})
