import { SimulatedClock } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { ConversationRateLimiter } from './conversation-rate-limiter.ts'

const guest = (id: string) => ({ kind: 'anonymous', id, tenant: 't' }) as const
const user = (id: string) => ({ kind: 'user', id, tenant: 't' }) as const

function admitted(
  rateLimiter: ConversationRateLimiter,
  count: number,
  of: Parameters<ConversationRateLimiter['admit']>,
): number {
  let admissions = 0
  for (let n = 0; n < count; n++) {
    try {
      rateLimiter.admit(...of)
      admissions += 1
    } catch (error) {
      expect(error).toMatchObject({ code: 'TOO_MANY' })
    }
  }
  return admissions
}

test('guests count by their network, with a token or without, and a caller with a credential by itself', async () => {
  const clock = new SimulatedClock()
  const rateLimiter = new ConversationRateLimiter(clock, { guestsPerMinute: 6, perMinute: 10 })
  expect(admitted(rateLimiter, 4, [undefined, '192.0.2.1'])).toBe(4)
  expect(admitted(rateLimiter, 4, [guest('a'), '192.0.2.1'])).toBe(2)
  expect(admitted(rateLimiter, 4, [guest('b'), '192.0.2.2'])).toBe(4)
  expect(admitted(rateLimiter, 20, [user('ann'), '192.0.2.1'])).toBe(10)
  expect(admitted(rateLimiter, 20, [user('ben'), undefined])).toBe(10)
  expect(() => rateLimiter.admit(undefined, '192.0.2.1')).toThrow(
    expect.objectContaining({ details: { retryAfter: 10 } }),
  )
  await clock.advance(10_000)
  expect(admitted(rateLimiter, 4, [undefined, '192.0.2.1'])).toBe(1)
})

test('guests of whom it is not known where they come from count together', () => {
  const rateLimiter = new ConversationRateLimiter(new SimulatedClock(), { guestsPerMinute: 6 })
  expect(admitted(rateLimiter, 10, [undefined, undefined]) + admitted(rateLimiter, 10, [guest('a'), undefined])).toBe(6)
})

test.each([
  ['addresses of a /24', (n: number) => `192.0.2.${n}`, '192.0.3.1'],
  ['networks of a /48', (n: number) => `2001:db8:1:${n}`, '2001:db8:2:1'],
])('all %s together may begin as much as five', (_, network, elsewhere) => {
  const rateLimiter = new ConversationRateLimiter(new SimulatedClock(), { guestsPerMinute: 6 })
  let sum = 0
  for (let n = 1; n < 100; n++) sum += admitted(rateLimiter, 10, [undefined, network(n)])
  expect(sum).toBe(30)
  expect(admitted(rateLimiter, 10, [undefined, elsewhere])).toBe(6)
})
