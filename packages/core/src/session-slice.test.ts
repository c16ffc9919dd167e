import { expect, test } from 'vitest'
import { contentHash } from './json.ts'
import type { EventDraft } from './events.ts'
import { mayBeReceived, sessionSlice, type SessionSliceState } from './session-slice.ts'

/** Two keys that have the same hash. */
const oneKey = '聡a聡a聡a聡聡a聡聡aaaa聡a聡a聡aa'
const otherKey = 'aa聡聡a聡a聡aaaa聡aaaa聡a聡聡a'
const day = 24 * 60 * 60 * 1_000

function fold(events: (EventDraft & { at?: number })[]): SessionSliceState {
  return events.reduce(
    (state, draft, index): SessionSliceState =>
      sessionSlice.fold(state, { id: `ev_${index}`, v: 1, at: 0, ...draft }, index + 1),
    sessionSlice.initial,
  )
}

function message(dedupeKey: string, at: number): EventDraft & { at: number } {
  return { type: 'messageReceived', messageId: `msg_${dedupeKey}`, originatorId: 'o', contentHash: 'h', dedupeKey, at }
}

test('a session knows its owner, and accepts that the owner’s data was erased', () => {
  const owner = { kind: 'user', id: 'ann', tenant: 't' } as const
  expect(fold([{ type: 'sessionOpened', tenant: 't', payload: { owner } }])).toMatchObject({ tenant: 't', owner })
  const erased = fold([{ type: 'sessionOpened', tenant: 't' }, message('k', 1)])
  expect(erased.tenant).toBe('t')
  expect(erased.owner).toBeUndefined()
})

test('a session that was erased has no owner and no keys; one of which some data was erased stays as it is', () => {
  const owner = { kind: 'user', id: 'ann', tenant: 't' } as const
  const before = [{ type: 'sessionOpened', tenant: 't', payload: { owner } } as const, message('k', 1)]
  const erased = (scope: 'session' | 'rewritten') =>
    fold([...before, { type: 'dataErased', scope, by: 'owner', payload: { originatorIds: [] } }])
  // The tenant stays: without one the session could be opened a second time.
  expect(erased('session')).toEqual({ ...sessionSlice.initial, tenant: 't' })
  expect(erased('rewritten')).toEqual(fold(before))
})

test('a session keeps the highest epoch', () => {
  const started = { type: 'turnStarted', turnId: 't', actor: 'a', messageIds: [] } as const
  expect(
    fold([
      { ...started, epoch: 3 },
      { ...started, epoch: 2 },
    ]).epoch,
  ).toBe(3)
})

test('a session remembers a dedupe key for a day at least and two at most', () => {
  const others = (until: number) =>
    Array.from({ length: until / (day / 10) }, (_, n) => message(`o${n}`, n * (day / 10)))
  expect(mayBeReceived(fold([message('k', 0), ...others(day)]), 'k')).toEqual([1])
  expect(mayBeReceived(fold([message('k', 0), ...others(3 * day)]), 'k')).toEqual([])
})

test('a dedupe key such as __proto__ is a key like others', () => {
  expect(mayBeReceived(fold([]), '__proto__')).toEqual([])
  expect(mayBeReceived(fold([]), 'toString')).toEqual([])
  const state = fold([message('__proto__', 0), message('other', 1)])
  expect(mayBeReceived(state, '__proto__')).toEqual([1])
  expect(({} as Record<string, unknown>).messageId).toBeUndefined()
})

test('a session keeps a few bytes for each dedupe key, however long the keys are', () => {
  const key = (n: number) => `${n}:${'long'.repeat(40)}`
  const state = fold(Array.from({ length: 1_000 }, (_, n) => message(key(n), n)))
  expect(JSON.stringify(state).length).toBeLessThan(25 * 1_000)
  for (const n of [0, 999]) expect(mayBeReceived(state, key(n))).toEqual([n + 1])
})

test('a session knows both messages when the hashes of their keys are the same', () => {
  expect(contentHash(oneKey)).toBe(contentHash(otherKey))
  const state = fold([message(oneKey, 0), message(otherKey, 1)])
  expect(mayBeReceived(state, otherKey)).toEqual([1, 2])
})
