import { expect, test } from 'vitest'
import { said } from './parts.test-helper.ts'
import { converged } from './slots.ts'

const slot = (data: unknown, mergeStrategy?: 'append' | 'deep-merge' | 'replace') =>
  said('domain-data', {
    data,
    slotKey: 'one',
    metadata: { partType: 'domain-data', ...(mergeStrategy && { mergeStrategy }) },
  })

test('parts of one slot are one part, at the place and with the id of the first', () => {
  const first = slot(1)
  const other = said('domain-data', { data: 'other' })
  const shown = converged([first, other, slot(2)])
  expect(shown.map(({ data }) => data)).toEqual([2, 'other'])
  expect(shown[0]?.partId).toBe(first.partId)
})

test.each([
  ['append', [1], [2], [1, 2]],
  ['append', 1, [2], [1, 2]],
  ['deep-merge', { a: { b: 1, c: 2 } }, { a: { c: 3 }, d: 4 }, { a: { b: 1, c: 3 }, d: 4 }],
  ['deep-merge', [1], { a: 1 }, { a: 1 }],
  ['replace', { a: 1 }, { b: 2 }, { b: 2 }],
] as const)('%s of %j and %j', (strategy, one, two, result) => {
  expect(converged([slot(one), slot(two, strategy)])[0]?.data).toEqual(result)
})

test('merging foreign data changes no prototype', () => {
  const hostile: unknown = JSON.parse(
    '{ "__proto__": { "polluted": true }, "constructor": { "prototype": { "x": 1 } } }',
  )
  converged([slot({ a: 1 }), slot(hostile, 'deep-merge')])
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  expect(({} as { x?: number }).x).toBeUndefined()
})

test('without slots nothing changes', () => {
  const parts = [said('response', { text: 'a' }), said('domain-data', { data: {} })]
  expect(converged(parts)).toBe(parts)
})
