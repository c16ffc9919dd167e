import { describe, expect, test } from 'vitest'
import type { LoggedEvent } from './events.ts'
import { RecentEvents } from './recent-events.ts'

const event = (seq: number, tenant = 't'): LoggedEvent => ({
  seq,
  event: { type: 'sessionOpened', tenant, id: `ev_${seq}`, v: 1, at: 0 },
})
const seqs = (events: readonly LoggedEvent[] | undefined) => events?.map(({ seq }) => seq)

describe('recent events', () => {
  test('are given from where they are known on, and not from before', () => {
    const recent = new RecentEvents()
    recent.add('s', 4, [event(5), event(8)])
    recent.add('s', 8, [event(9)])
    expect(seqs(recent.after('s', 4))).toEqual([5, 8, 9])
    expect(seqs(recent.after('s', 5, 1))).toEqual([8])
    expect(seqs(recent.after('s', 9))).toEqual([])
    expect(recent.after('s', 3)).toBeUndefined()
    expect(recent.after('other', 9)).toBeUndefined()
  })

  test('begin anew where something is missing in between', () => {
    const recent = new RecentEvents()
    recent.add('s', 0, [event(1)])
    recent.add('s', 3, [event(4)])
    expect(recent.after('s', 0)).toBeUndefined()
    expect(seqs(recent.after('s', 3))).toEqual([4])
  })

  test('are the last of many, and of few sessions', () => {
    const recent = new RecentEvents()
    recent.add(
      's',
      0,
      Array.from({ length: 100 }, (_, index) => event(index + 1)),
    )
    expect(recent.after('s', 35)).toBeUndefined()
    expect(recent.after('s', 36)).toHaveLength(64)
    for (let n = 0; n < 100; n++) recent.add(`s${n}`, 0, [event(1)])
    expect(recent.after('s', 99)).toBeUndefined()
    expect(seqs(recent.after('s0', 0))).toEqual([1])
  })

  test('are none that is long, nor any from before it', () => {
    const recent = new RecentEvents()
    recent.add('s', 0, [event(1), event(2, 'x'.repeat(20_000)), event(3)])
    expect(recent.after('s', 0)).toBeUndefined()
    expect(recent.after('s', 1)).toBeUndefined()
    expect(seqs(recent.after('s', 2))).toEqual([3])
  })
})
