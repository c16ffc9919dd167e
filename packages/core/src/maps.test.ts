import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompactingMap, LruMap, withEntry } from './maps.ts'

const max = 8

test('an LruMap keeps what was used last: at least half of it, and never more', () => {
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

test('an LruMap keeps what is in use, however long ago it was used', () => {
  const recent = new LruMap<{ inUse: boolean }>(max, ({ inUse }) => inUse)
  const held = { inUse: true }
  recent.set('held', held)
  for (let n = 0; n < 100; n++) recent.set(String(n), { inUse: false })
  expect(recent.get('held')).toBe(held)
  held.inUse = false
  for (let n = 0; n < 100; n++) recent.set(String(n), { inUse: false })
  expect(recent.has('held')).toBe(false)
})

test('a CompactingMap holds what a Map would, in the same order', () => {
  const key = fc.integer({ min: 0, max: 20 })
  const step = fc.oneof(
    { weight: 10, arbitrary: fc.record({ put: key, value: fc.nat() }) },
    { weight: 10, arbitrary: fc.record({ drop: key }) },
    { weight: 1, arbitrary: fc.constant('clear' as const) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const map = new Map<number, number>()
      const passing = new CompactingMap<number, number>()
      for (const each of steps) {
        if (each === 'clear') {
          map.clear()
          passing.clear()
        } else if ('put' in each) {
          map.set(each.put, each.value)
          passing.set(each.put, each.value)
        } else expect(passing.delete(each.drop)).toBe(map.delete(each.drop))
        expect(passing.size).toBe(map.size)
      }
      expect([...passing]).toEqual([...map])
      expect([...passing.keys()]).toEqual([...map.keys()])
      expect([...passing.values()]).toEqual([...map.values()])
      for (let at = 0; at <= 20; at++) {
        expect(passing.get(at)).toBe(map.get(at))
        expect(passing.has(at)).toBe(map.has(at))
      }
    }),
  )
})

// With a `Map` it is all of it.
test('what has passed through does not grow old', () => {
  const script = fileURLToPath(new URL('maps.test-helper.ts', import.meta.url))
  expect(Number(execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' }))).toBeLessThan(0.3)
})

test('a table is copied with its new entry, whatever that is called', () => {
  const before = JSON.parse('{ "a": 1, "__proto__": 2 }') as Record<string, number>
  const after = withEntry(withEntry(before, 'constructor', 3), 'a', 4)
  expect(Object.entries(after)).toEqual([
    ['a', 4],
    ['__proto__', 2],
    ['constructor', 3],
  ])
  expect(before.a).toBe(1)
  expect(JSON.stringify(after)).toBe('{"a":4,"__proto__":2,"constructor":3}')
})
