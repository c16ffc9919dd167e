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

test('claims that wait together are looked after by one loop, and each lease goes to one of them', async () => {
  let [looks, most] = [0, 0]
  const nextDue = async () => {
    most = Math.max(most, ++looks)
    await new Promise((resolve) => setImmediate(resolve))
    looks--
    return -Infinity
  }
  const give = async (claimers: Iterable<Claimer>) => Array.from(claimers, () => lease)
  const claims = new Claims(new DueSignal(simulatedRuntime().clock), { nextDue, lease: give })
  expect(await Promise.all([claims.wait(1_000, signal), claims.wait(1_000, signal)])).toEqual([lease, lease])
  expect(most).toBe(1)
})

test('a claimer looks again at the first of the times that it is told, also when a later one is told after it', async () => {
  const { clock } = simulatedRuntime()
  const due = new DueSignal(clock)
  let isResumed = false
  void due.wait(Infinity, signal).then(() => (isResumed = true))
  due.raiseAt(clock.now() + 1_000)
  due.raiseAt(clock.now() + 5_000)
  await clock.advance(999)
  expect(isResumed).toBe(false)
  await clock.advance(1)
  expect(isResumed).toBe(true)
})

test('a session that falls due while a claimer looks is not overlooked', async () => {
  const due = new DueSignal(simulatedRuntime().clock)
  let looks = 0
  const nextDue = async () => {
    if (++looks > 1) return -Infinity
    due.raise()
    return Infinity
  }
  const claims = new Claims(due, { nextDue, lease: async () => [lease] })
  expect(await claims.wait(1_000, signal)).toBe(lease)
})
