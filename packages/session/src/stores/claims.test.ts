import { simulatedRuntime } from '@cool-ai/beach-core'
import type { Lease } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import { Claims, DueSignal, type Claimer } from './claims.ts'

const lease: Lease = { session: 's', renew: async () => true, release: async () => {} }
const { signal } = new AbortController()

test('a claim that failed is not given a lease later, which would go to no host', async () => {
  let isLocked = true
  const nextDue = async () => {
    if (isLocked) throw new Error('locked')
    return -Infinity
  }
  let waiting = 0
  const give = async (claimers: Iterable<Claimer>) => {
    const leases = Array.from(claimers, () => lease)
    waiting = leases.length
    return leases
  }
  const claims = new Claims(new DueSignal(simulatedRuntime().clock), { nextDue, lease: give })
  await expect(claims.wait(1_000, signal)).rejects.toThrow('locked')
  isLocked = false
  expect(await claims.wait(1_000, signal)).toBe(lease)
  expect(waiting).toBe(1)
})
