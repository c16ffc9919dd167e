import { SimulatedClock } from '@cool-ai/beach-core'
import { UseCounts } from '@cool-ai/beach-core/runtime'
import { expect, test } from 'vitest'
import { ConversationRateLimiter } from './conversation-rate-limiter.ts'
import { RateSharing } from './rate-sharing.ts'

/** Processes with one store, and what they have told it. */
function processes(count: number) {
  const clock = new SimulatedClock()
  const counts = new UseCounts(clock)
  const reported: (readonly { readonly key: string }[])[] = []
  let isFailing = false
  const countUses = async (uses: Parameters<UseCounts['count']>[0]) => {
    reported.push(uses)
    if (isFailing) throw new Error('The store is gone.')
    return counts.count(uses)
  }
  const limiters = Array.from({ length: count }, () => {
    const sharing = new RateSharing({ store: { countUses }, clock })
    return new ConversationRateLimiter(clock, { guestsPerMinute: 6, perMinute: 12, sharing })
  })
  const isAdmitted = (process: number, network = '192.0.2.1') => {
    try {
      limiters[process]?.admit(undefined, network)
      return true
    } catch {
      return false
    }
  }
  const fail = () => (isFailing = true)
  return { clock, reported, isAdmitted, fail }
}

test('what one process has admitted counts in another', async () => {
  const { clock, isAdmitted } = processes(2)
  for (let n = 0; n < 6; n++) expect(isAdmitted(0)).toBe(true)
  expect(isAdmitted(0)).toBe(false)
  await clock.advance(100)
  // It learns with the first one what the other has admitted.
  expect(isAdmitted(1)).toBe(true)
  await clock.advance(0)
  expect(isAdmitted(1)).toBe(false)
  expect(isAdmitted(1, '203.0.113.9')).toBe(true)
})

test('over minutes several processes admit no more than one would, and each its first ones', async () => {
  const { clock, isAdmitted } = processes(3)
  let sum = 0
  for (let second = 0; second < 600; second++) {
    for (let process = 0; process < 3; process++) if (isAdmitted(process)) sum++
    await clock.advance(1_000)
  }
  expect(sum).toBeGreaterThanOrEqual(60)
  expect(sum).toBeLessThanOrEqual(60 + 3 * 6)
})

test('the store gets one write for what was admitted within a tenth of a second, without names of networks', async () => {
  const { clock, reported, isAdmitted } = processes(1)
  isAdmitted(0)
  for (let n = 0; n < 5; n++) isAdmitted(0, `192.0.2.${n}`)
  await clock.advance(99)
  expect(reported).toHaveLength(1)
  await clock.advance(1)
  expect(reported).toHaveLength(2)
  await clock.advance(60_000)
  expect(reported).toHaveLength(2)
  expect(JSON.stringify(reported)).not.toContain('192.0.2')
})

test('while the store fails each process has the limit by itself', async () => {
  const { clock, isAdmitted, fail } = processes(2)
  fail()
  const admitted = () => Array.from({ length: 10 }, () => isAdmitted(0)).filter(Boolean).length
  expect(admitted()).toBe(6)
  await clock.advance(20_000)
  expect(admitted()).toBe(2)
})
