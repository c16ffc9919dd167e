import { simulatedRuntime } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { backoffDelay } from './pauses.ts'

test('pauses may be twice as long after every failure, up to half a minute', () => {
  const longest = Array.from({ length: 10 }, (_, failures) => backoffDelay(failures, 1))
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000])
  expect(backoffDelay(5_000, 1)).toBe(30_000)
})

test('any pause up to the longest is as likely as any other', () => {
  const runtime = simulatedRuntime({ seed: 7 })
  const pauses = Array.from({ length: 10_000 }, () => backoffDelay(3, runtime.random()))
  expect(Math.min(...pauses)).toBeLessThan(40)
  expect(Math.max(...pauses)).toBeGreaterThan(3_960)
  for (const tenth of Array.from({ length: 10 }, (_, index) => index * 400)) {
    const share = pauses.filter((pause) => pause >= tenth && pause < tenth + 400).length / pauses.length
    expect(share).toBeGreaterThan(0.085)
    expect(share).toBeLessThan(0.115)
  }
})

test('what the agent asks for comes on top, within reason', () => {
  expect(backoffDelay(0, 0.5, 10_000)).toBe(10_250)
  expect(backoffDelay(0, 0, 10_000_000)).toBe(300_000)
})

test('the agent may say how long the first one is', () => {
  expect([0, 1, 2, 9].map((failures) => backoffDelay(failures, 1, 0, 3_000))).toEqual([3_000, 6_000, 12_000, 30_000])
  expect(backoffDelay(2_000, 1, 0, 0), 'none is not a length').toBe(30_000)
})
