import { describe, expect, test } from 'vitest'
import type { LoggedEvent } from './events.ts'
import { RecentEvents } from './recent-events.ts'

const event = (seq: number, owner = 'o'): LoggedEvent => ({
  seq,
  event: {
    type: 'sessionOpened',
    tenant: 't',
    payload: { owner: { kind: 'user', id: owner, tenant: 't' } },
    id: `ev_${seq}`,
    v: 1,
    at: 0,
  },
})
const events = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => event(from + index))
const seqs = (found: readonly LoggedEvent[] | undefined) => found?.map(({ seq }) => seq)

describe('recent events', () => {
  test('are given from where they are known on, and not from before', () => {
    const recent = new RecentEvents()
    recent.add('s', 4, [event(5), event(8)])
    recent.add('s', 8, [event(9)])
    expect(seqs(recent.after('s', 4, 9))).toEqual([5, 8, 9])
    expect(seqs(recent.after('s', 5, 8, 1))).toEqual([8])
    expect(seqs(recent.after('s', 9, 9))).toEqual([])
    expect(recent.after('s', 3, 9)).toBeUndefined()
    expect(recent.after('other', 9, 9)).toBeUndefined()
  })

  test('are not given when there may be more than is known', () => {
    const recent = new RecentEvents()
    recent.add('s', 4, [event(5)])
    expect(recent.after('s', 4, 6)).toBeUndefined()
    expect(recent.after('s', 5, Infinity)).toBeUndefined()
  })

  test('begin anew where something is missing in between', () => {
    const recent = new RecentEvents()
    recent.add('s', 0, [event(1)])
    recent.add('s', 3, [event(4)])
    expect(recent.after('s', 0, 4)).toBeUndefined()
    expect(seqs(recent.after('s', 3, 4))).toEqual([4])
  })

  test('are few, and of few sessions, which unknown names do not push out', () => {
    const recent = new RecentEvents()
    recent.add('s', 0, events(1, 60))
    recent.add('s', 60, events(61, 70))
    expect(recent.after('s', 0, 70)).toBeUndefined()
    expect(recent.after('s', 60, 70)).toHaveLength(10)
    recent.add('s', 70, events(71, 200))
    expect(recent.after('s', 70, 200)).toBeUndefined()
    expect(recent.after('s', 200, 200)).toEqual([])
    for (let n = 0; n < 200; n++) recent.add(`made-up-${n}`, 0, [])
    expect(recent.after('s', 200, 200)).toEqual([])
    for (let n = 0; n < 200; n++) recent.add(`s${n}`, 0, [event(1)])
    expect(recent.after('s', 200, 200)).toBeUndefined()
    expect(seqs(recent.after('s100', 0, 1))).toEqual([1])
  })

  test('are gone once they are deleted: what they said may have been erased', () => {
    const recent = new RecentEvents()
    for (const session of ['s', 'other']) recent.add(session, 0, [event(1)])
    recent.delete('s')
    expect(recent.after('s', 0, 1)).toBeUndefined()
    expect(seqs(recent.after('other', 0, 1))).toEqual([1])
  })

  test('are not much: what is too long is not kept', () => {
    const recent = new RecentEvents()
    recent.add('s', 0, [event(1, 'x'.repeat(20_000))])
    recent.add('s', 1, [event(2, 'x'.repeat(20_000))])
    expect(recent.after('s', 0, 2)).toBeUndefined()
    expect(seqs(recent.after('s', 1, 2))).toEqual([2])
    recent.add('s', 2, [event(3, 'x'.repeat(40_000))])
    expect(recent.after('s', 2, 3)).toBeUndefined()
    recent.add('s', 3, [event(4)])
    expect(seqs(recent.after('s', 3, 4))).toEqual([4])
  })
})
