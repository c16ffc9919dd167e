import { simulatedRuntime } from '@cool-ai/beach-core'
import { SessionLog, toLogged } from '@cool-ai/beach-core/log'
import { expect, test } from 'vitest'
import { deliverySlice } from '../delivery/delivery-slice.ts'
import { MemoryStore } from '../stores/memory/memory-store.ts'
import { turnSlice } from '../turn/turn-slice.ts'
import { FoldAt } from './fold-at.ts'

const owner = { kind: 'user', id: 'alice', tenant: 'acme' } as const
const from = { id: 'web', transport: 'sse', deliveryClass: 'streaming', principal: owner } as const

async function longLog(messages: number) {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const log = new SessionLog({ store, runtime, slices: [turnSlice, deliverySlice] })
  await log.commit('s', () => [{ type: 'sessionOpened', tenant: 'acme', payload: { owner } }])
  for (let n = 0; n < messages; n++) {
    await log.commit('s', () => [
      {
        type: 'messageReceived',
        messageId: `m${n}`,
        originatorId: 'web',
        dedupeKey: `k${n}`,
        contentHash: 'c',
        payload: { from, parts: [] },
      },
    ])
  }
  const events = (await store.read('s', 0)).map(toLogged)
  return { runtime, log, events, foldAt: new FoldAt(log, runtime.clock) }
}

test('the state around an event is the fold of what comes before it and of it, in any order of looks', async () => {
  const { log, events, foldAt } = await longLog(5_000)
  for (const index of [4_999, 5_000, 3, 0, 4_000, 3_999, 2_500]) {
    const around = await foldAt.around('s', events[index]?.seq ?? 0)
    expect(around?.before, `before ${index}`).toEqual(log.folded(undefined, events.slice(0, index)))
    expect(around?.after, `after ${index}`).toEqual(log.folded(undefined, events.slice(0, index + 1)))
  }
})

test('there is no state around a seq that the log does not have', async () => {
  const { foldAt } = await longLog(3)
  expect(await foldAt.around('s', 999)).toBeUndefined()
  expect(await foldAt.around('other', 1)).toBeUndefined()
})

test('states are kept for a minute, since another process may erase content', async () => {
  const { runtime, log, events, foldAt } = await longLog(3_000)
  const reads: number[] = []
  const read = log.read.bind(log)
  log.read = async (session, after, ...rest) => {
    reads.push(after)
    return read(session, after, ...rest)
  }
  const last = events.at(-1)?.seq ?? 0
  await foldAt.around('s', last)
  expect(reads).toContain(0)
  reads.length = 0
  await foldAt.around('s', last)
  expect(reads, 'from what was kept').not.toContain(0)
  await runtime.clock.advance(61_000)
  await foldAt.around('s', last)
  expect(reads, 'anew').toContain(0)
})
