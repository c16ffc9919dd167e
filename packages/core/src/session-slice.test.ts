import { expect, test } from 'vitest'
import type { EventDraft } from './events.ts'
import { alreadyReceived, sessionSlice, type SessionSliceState } from './session-slice.ts'

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

test('knows its owner, and accepts that the owner’s data was erased', () => {
  const owner = { kind: 'user', id: 'ann', tenant: 't' } as const
  expect(fold([{ type: 'sessionOpened', tenant: 't', payload: { owner } }])).toMatchObject({ tenant: 't', owner })
  const erased = fold([{ type: 'sessionOpened', tenant: 't' }, message('k', 1)])
  expect(erased.tenant).toBe('t')
  expect(erased.owner).toBeUndefined()
})

test('keeps the highest epoch', () => {
  const started = { type: 'turnStarted', turnId: 't', actor: 'a', messageIds: [] } as const
  expect(
    fold([
      { ...started, epoch: 3 },
      { ...started, epoch: 2 },
    ]).epoch,
  ).toBe(3)
})

test('remembers a dedupe key for a day at least and two at most', () => {
  const others = (until: number) =>
    Array.from({ length: until / (day / 10) }, (_, n) => message(`o${n}`, n * (day / 10)))
  expect(alreadyReceived(fold([message('k', 0), ...others(day)]), 'k')).toMatchObject({ messageId: 'msg_k', seq: 1 })
  expect(alreadyReceived(fold([message('k', 0), ...others(3 * day)]), 'k')).toBeUndefined()
})

test('takes keys such as __proto__ for what they are', () => {
  expect(alreadyReceived(fold([]), '__proto__')).toBeUndefined()
  expect(alreadyReceived(fold([]), 'toString')).toBeUndefined()
  const state = fold([message('__proto__', 0), message('other', 1)])
  expect(alreadyReceived(state, '__proto__')).toMatchObject({ messageId: 'msg___proto__' })
  expect(({} as Record<string, unknown>).messageId).toBeUndefined()
})
