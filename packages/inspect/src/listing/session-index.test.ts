import { simulatedRuntime, type Principal } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, onTestFinished, test } from 'vitest'
import { SessionIndex } from './session-index.ts'
import type { SessionRow } from './session-row.ts'

const operator: Principal = { kind: 'operator', id: 'op', tenant: 'default' }

function indexed() {
  const runtime = simulatedRuntime()
  const { clock } = runtime
  const store = new MemoryStore({ runtime })
  onTestFinished(() => store.close())
  const index = new SessionIndex(store, clock)
  const row = (state: string, seq: number): SessionRow => ({
    sessionId: 'sess_1',
    tenant: 'default',
    openedAt: clock.now(),
    lastAt: clock.now(),
    seq,
    events: seq,
    marks: [],
    turnMarks: [],
    turns: 1,
    messages: 1,
    errors: 0,
    tokens: 0,
    cost: 0,
    state,
    channels: ['sse'],
    title: 'Tea',
    pendingApprovals: [],
    deadLetters: 0,
  })
  const listed = async () => (await index.list(operator, {}, { limit: 10 })).items.map(({ state }) => state)
  return { clock, store, index, row, listed }
}

test('a session that is listed while another process puts its row stays in the list', async () => {
  const { clock, store, index, row, listed } = indexed()
  const first = row('running', 5)
  await index.put(first, undefined)
  await clock.advance(1_000)
  const bind = store.bind.bind(store)
  const seen: string[][] = []
  store.bind = async (key, value) => {
    // Between the entries of the new row and the row itself.
    if (key.startsWith('inspect:row:')) seen.push(await listed())
    return bind(key, value)
  }
  await index.put(row('complete', 9), first)
  expect(seen).toEqual([['running']])
  expect(await listed()).toEqual(['complete'])
})

test('an entry that a process has left behind is taken away by a reader after a minute', async () => {
  const { clock, store, index, row, listed } = indexed()
  const first = row('running', 5)
  await index.put(first, undefined)
  await clock.advance(1_000)
  const unbind = store.unbind.bind(store)
  store.unbind = () => Promise.reject(new Error('The process dies.'))
  await expect(index.put(row('complete', 9), first)).rejects.toThrow('dies')
  store.unbind = unbind
  const entries = async () => (await store.list('inspect:by:default:all:')).length
  expect([await listed(), await entries()]).toEqual([['complete'], 2])
  await clock.advance(61_000)
  expect([await listed(), await entries()]).toEqual([['complete'], 1])
})
