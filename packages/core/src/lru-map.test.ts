import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LruMap } from './lru-map.ts'

const max = 8

test('keeps what was used last: at least half of it, and never more', () => {
  const key = fc.integer({ min: 0, max: 20 }).map(String)
  const step = fc.oneof(fc.record({ put: key, value: fc.nat() }), fc.record({ use: key }), fc.record({ drop: key }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const recent = new LruMap<number>(max)
      // In the order of their last use; also what was dropped has been used.
      const all = new Map<string, number | undefined>()
      for (const each of steps) {
        if ('put' in each) {
          recent.set(each.put, each.value)
          all.delete(each.put)
          all.set(each.put, each.value)
        } else if ('use' in each) {
          const found = recent.get(each.use)
          if (found === undefined) continue
          expect(found).toBe(all.get(each.use))
          all.delete(each.use)
          all.set(each.use, found)
        } else {
          recent.delete(each.drop)
          if (all.has(each.drop)) all.set(each.drop, undefined)
        }
      }
      const kept = [...recent.values()]
      expect(kept.length).toBeLessThanOrEqual(max)
      for (const [last, value] of [...all].slice(-max / 2)) expect(recent.has(last)).toBe(value !== undefined)
      const found = [...all].flatMap(([name, value]) => (recent.has(name) ? [value] : []))
      const inOrder = (values: readonly (number | undefined)[]) =>
        values.toSorted((one = -1, other = -1) => one - other)
      expect(inOrder(found)).toEqual(inOrder(kept))
    }),
  )
})

test('keeps what is in use, however long ago it was used', () => {
  const recent = new LruMap<{ inUse: boolean }>(max, ({ inUse }) => inUse)
  const held = { inUse: true }
  recent.set('held', held)
  for (let n = 0; n < 100; n++) recent.set(String(n), { inUse: false })
  expect(recent.get('held')).toBe(held)
  held.inUse = false
  for (let n = 0; n < 100; n++) recent.set(String(n), { inUse: false })
  expect(recent.has('held')).toBe(false)
})
