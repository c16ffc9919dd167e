import { expect, test } from 'vitest'
import { CallCount } from './call-count.ts'

test('guests from one place count together, and leave others their calls', () => {
  const count = new CallCount(2)
  const leave = count.enter({ network: '192.0.2.7' })
  count.enter({ network: '192.0.2.7' })
  expect(() => count.enter({ network: '192.0.2.7' })).toThrow(/2 calls are open/)
  count.enter({ network: '192.0.2.8' })
  count.enter({})
  count.enter({ principal: { kind: 'peer', id: '192.0.2.7', tenant: 't' }, network: '192.0.2.7' })
  const guest = (id: string) => ({ principal: { kind: 'anonymous', id, tenant: 't' }, network: '192.0.2.7' }) as const
  for (const id of ['a', 'b']) expect(() => count.enter(guest(id))).toThrow(/2 calls are open/)
  leave()
  count.enter({ network: '192.0.2.7' })
})
