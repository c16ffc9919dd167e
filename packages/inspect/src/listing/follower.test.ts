import { simulatedRuntime } from '@cool-ai/beach-core'
import { eventVersion, type EventDraft } from '@cool-ai/beach-core/log'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, onTestFinished, test } from 'vitest'
import { Metrics } from '../metrics/metrics.ts'
import { Follower } from './follower.ts'
import { SessionIndex } from './session-index.ts'

const owner = { kind: 'user', id: 'anna', tenant: 'default' } as const
const opened: EventDraft = { type: 'sessionOpened', tenant: 'default', payload: { owner } }
const started: EventDraft = { type: 'turnStarted', turnId: 'turn_1', actor: 'a', messageIds: [], epoch: 1 }
const finished: EventDraft = { type: 'turnSettled', turnId: 'turn_1', turnState: 'complete', finalizedBy: 'actor' }

/** A follower on a store in memory, whose log grows by `commit`. */
function following() {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const index = new SessionIndex(store, runtime.clock)
  const metrics = new Metrics(store, runtime)
  const follower = new Follower({ store, runtime, index, metrics })
  onTestFinished(() => store.close())
  let head = 0
  const commit = async (...drafts: EventDraft[]) => {
    const at = runtime.clock.now()
    const events = drafts.map((draft) => ({ ...draft, id: runtime.id('evt'), v: eventVersion, at }))
    head = await store.append('sess_1', head, events)
    follower.noticed('sess_1', drafts)
  }
  const turns = async () => {
    const now = runtime.clock.now()
    const points = await metrics.points('default', now - 60_000, now + 60_000, 10)
    return points.reduce((sum, point) => sum + point.turns, 0)
  }
  return { clock: runtime.clock, commit, follower, state: async () => (await index.row('sess_1'))?.state, turns }
}

test('a turn is indexed and counted once it has settled', async () => {
  const { clock, commit, state, turns } = following()
  await commit(opened, started)
  await clock.advance(5_000)
  expect(await state()).toBeUndefined()
  await commit(finished)
  await clock.advance(300)
  expect([await state(), await turns()]).toEqual(['complete', 1])
})

test('an operator who looks sees a turn that is in progress, and so does another process after a while', async () => {
  const looked = following()
  await looked.commit(opened, started)
  await looked.follower.caughtUp()
  expect(await looked.state()).toBe('running')
  const left = following()
  await left.commit(opened, started)
  await left.clock.advance(10_000)
  expect(await left.state()).toBe('running')
})

test('a follower that stops keeps what it has noticed', async () => {
  const { commit, follower, state, turns } = following()
  await commit(opened, started, finished)
  await follower.stop()
  expect([await state(), await turns()]).toEqual(['complete', 1])
})
