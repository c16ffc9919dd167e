import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findResult } from './take-client-event.ts'
import type { StoredResult } from './flows-state.ts'

const max = 5

test('findResult finds exactly what a list has, however lists go on, are cut, and are looked at again', () => {
  const step = fc.record({ on: fc.nat(20), add: fc.nat(8), ask: fc.nat(8), back: fc.nat(20) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const lists: (readonly StoredResult[])[] = [[]]
      for (const { on, add, ask, back } of steps) {
        const list = lists[on % lists.length] ?? []
        lists.push([...list.slice(-max + 1), { eventId: `e${add}`, at: 0 }])
        const asked = lists[back % lists.length] ?? []
        expect(findResult(asked, `e${ask}`, undefined)).toBe(asked.findLast(({ eventId }) => eventId === `e${ask}`))
      }
    }),
  )
})
