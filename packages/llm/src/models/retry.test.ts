import { simulatedRuntime } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { ModelFailure, type RetryAfter } from './model-failure.ts'
import { retryDelay } from './retry.ts'

const failure = (retryable = true, retryAfter?: RetryAfter) =>
  new ModelFailure({ reason: 'It failed.' }, { retryable, retryAfter })

describe('the wait before another attempt', () => {
  test('grows twofold, is between half and all of that, and has an upper limit', () => {
    const runtime = simulatedRuntime()
    const policy = { attempts: 20, baseMs: 100, maxMs: 5_000 }
    for (let attempt = 1; attempt < 20; attempt++) {
      const longest = Math.min(100 * 2 ** (attempt - 1), 5_000)
      const delay = retryDelay(failure(), attempt, policy, runtime)
      expect(delay).toBeGreaterThanOrEqual(longest / 2)
      expect(delay).toBeLessThanOrEqual(longest)
    }
  })

  test('is not the same for two that failed together', () => {
    const delays = [1, 2, 3].map((seed) => retryDelay(failure(), 1, {}, simulatedRuntime({ seed })))
    expect(new Set(delays).size).toBe(3)
  })

  test('is none after the last attempt', () => {
    const runtime = simulatedRuntime()
    expect(retryDelay(failure(), 3, {}, runtime)).toBeDefined()
    expect(retryDelay(failure(), 4, {}, runtime)).toBeUndefined()
    expect(retryDelay(failure(), 1, { attempts: 1 }, runtime)).toBeUndefined()
  })

  test('is none when it cannot help', () => {
    expect(retryDelay(failure(false), 1, {}, simulatedRuntime())).toBeUndefined()
    expect(retryDelay(failure(false, { ms: 0 }), 1, {}, simulatedRuntime())).toBeUndefined()
  })

  test('is what the provider asks for', () => {
    const runtime = simulatedRuntime()
    const now = runtime.clock.now()
    expect(retryDelay(failure(true, { ms: 0 }), 1, {}, runtime)).toBe(0)
    expect(retryDelay(failure(true, { ms: 7_000 }), 1, {}, runtime)).toBe(7_000)
    expect(retryDelay(failure(true, { at: now + 9_000 }), 1, {}, runtime)).toBe(9_000)
    expect(retryDelay(failure(true, { at: now - 9_000 }), 1, {}, runtime)).toBe(0)
  })

  test('is none when the provider asks for more than is granted', () => {
    expect(retryDelay(failure(true, { ms: 30_001 }), 1, {}, simulatedRuntime())).toBeUndefined()
    expect(retryDelay(failure(true, { ms: 30_001 }), 1, { maxMs: 60_000 }, simulatedRuntime())).toBe(30_001)
  })
})
