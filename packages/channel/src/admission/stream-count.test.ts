import { expect, test } from 'vitest'
import { StreamCount } from './stream-count.ts'

const guest = (id: string) => ({ kind: 'anonymous', id, tenant: 't' }) as const

test('guests count together by where they come from, however many they are; others by themselves only', () => {
  const count = new StreamCount(2, 3)
  const leave = count.enterFrom(guest('a'), '192.0.2.7')
  count.enterFrom(guest('b'), '192.0.2.7')
  count.enterFrom(guest('c'), '192.0.2.7')
  expect(() => count.enterFrom(guest('d'), '192.0.2.7')).toThrow(/3 streams/)
  count.enterFrom(guest('d'), '192.0.2.8')
  count.enterFrom(guest('d'), undefined)
  // What was refused for the network has not counted for the principal.
  count.enterFrom(guest('e'), '192.0.2.8')
  expect(() => count.enterFrom(guest('d'), '192.0.2.9')).toThrow(/2 streams/)
  count.enterFrom({ kind: 'user', id: 'ann', tenant: 't' }, '192.0.2.7')
  leave()
  leave()
  count.enterFrom(guest('f'), '192.0.2.7')
  expect(() => count.enterFrom(guest('g'), '192.0.2.7')).toThrow(/3 streams/)
})

test('guests of whom it is not known where they come from count together', () => {
  const count = new StreamCount(2, 3)
  for (const id of ['a', 'b', 'c']) count.enterFrom(guest(id), undefined)
  expect(() => count.enterFrom(guest('d'), undefined)).toThrow(/3 streams/)
})
