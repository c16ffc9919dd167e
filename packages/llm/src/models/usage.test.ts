import { expect, test } from 'vitest'
import { usageOf } from './usage.ts'

const raw = {
  inputTokens: { total: 1_000, noCache: 500, cacheRead: 300, cacheWrite: 200 },
  outputTokens: { total: 100, text: 80, reasoning: 20 },
}

test('a call took what the provider counted', () => {
  expect(usageOf(raw, undefined)).toEqual({ inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 300 })
})

test('a call costs its tokens, each kind at its price', () => {
  const prices = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }
  expect(usageOf(raw, prices).cost).toBeCloseTo((500 * 3 + 300 * 0.3 + 200 * 3.75 + 100 * 15) / 1_000_000, 12)
})

test('a kind of input without a price of its own costs what input costs', () => {
  expect(usageOf(raw, { input: 3, output: 15 }).cost).toBeCloseTo((1_000 * 3 + 100 * 15) / 1_000_000, 12)
})

test('what was not counted is nothing', () => {
  const unknown = {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  }
  const nothing = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }
  expect(usageOf(unknown, { input: 3, output: 15 })).toEqual({ ...nothing, cost: 0 })
  expect(usageOf(undefined, undefined)).toEqual(nothing)
})
