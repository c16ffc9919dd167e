import { SimulatedClock } from '@cool-ai/beach-core'
import { UseCounts } from '@cool-ai/beach-core/runtime'
import { expect, test } from 'vitest'
import { Admission } from './admission.ts'
import type { CallerLimits } from './limits.ts'
import { UseSharing } from './use-sharing.ts'

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
    const sharing = new UseSharing({ store: { countUses }, clock })
    const limits = { network: { sessions: { perMinute: 6 } }, principal: { sessions: { perMinute: 12 } } }
    return new Admission({ clock, limits, sharing })
  })
  const isAdmitted = (process: number, network = '192.0.2.1') => {
    try {
      limiters[process]?.begin(undefined, { network })
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

test('of a large limit the others are told in parts, each of a twentieth, and of a day whenever the next process asks', async () => {
  const clock = new SimulatedClock()
  const counts = new UseCounts(clock)
  let calls = 0
  const countUses = async (uses: Parameters<UseCounts['count']>[0]) => {
    calls++
    return counts.count(uses)
  }
  const open = (limits: CallerLimits) =>
    new Admission({ clock, limits, sharing: new UseSharing({ store: { countUses }, clock }) })
  const ann = { kind: 'user', id: 'ann', tenant: 't' } as const
  const minute = open({ principal: { messages: { perMinute: 100 } } })
  for (let n = 0; n < 4; n++) void minute.message(ann, () => 1)
  expect(calls).toBe(0)
  void minute.message(ann, () => 1)
  expect(calls).toBe(1)

  const perDay = { principal: { messages: { perDay: 10 } } }
  const one = open(perDay)
  await one.message(ann, () => 1)
  for (let n = 0; n < 8; n++) void one.message(ann, () => 1)
  await one.close()
  const next = open(perDay)
  await next.message(ann, () => 1)
  expect(() => next.message(ann, () => 1)).toThrow(/Too many messages were sent from here for today/)
  // At midnight they begin anew.
  await clock.advance(24 * 60 * 60 * 1_000 - (clock.now() % (24 * 60 * 60 * 1_000)))
  await next.message(ann, () => 1)
})
