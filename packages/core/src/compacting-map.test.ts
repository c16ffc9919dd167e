import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompactingMap } from './compacting-map.ts'

test('holds what a Map would, in the same order', () => {
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
  const script = fileURLToPath(new URL('compacting-map.test-helper.ts', import.meta.url))
  expect(Number(execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' }))).toBeLessThan(0.3)
})
