import { expect, test } from 'vitest'
import { UnidentifiedConnections } from './unidentified-connections.ts'

const refused = expect.objectContaining({ code: 'TOO_MANY' }) as Error

test('connections of one network that have shown no credential are at most 100, and leave room when they end', () => {
  const connections = new UnidentifiedConnections()
  const [first] = Array.from({ length: 100 }, () => connections.enter('192.0.2.1'))
  expect(() => connections.enter('192.0.2.1')).toThrow(refused)
  connections.enter('192.0.2.2')
  first?.()
  first?.()
  connections.enter('192.0.2.1')
  expect(() => connections.enter('192.0.2.1')).toThrow(refused)
})

test('of all networks, and of those that are not known, they are at most 1,000', () => {
  for (const networkOf of [(n: number) => `192.0.2.${n % 20}`, () => undefined]) {
    const connections = new UnidentifiedConnections()
    const leave = Array.from({ length: 1_000 }, (_, n) => connections.enter(networkOf(n)))
    expect(() => connections.enter('198.51.100.1')).toThrow(refused)
    leave[0]?.()
    connections.enter('198.51.100.1')
  }
})
