import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from '../actor/budget.ts'

/** What a million tokens cost, in any currency. */
export interface Prices {
  readonly input: number
  readonly output: number
  /** Input that the provider had in its cache; as other input when left out. */
  readonly cachedInput?: number | undefined
  /** Input that the provider put into its cache; as other input when left out. */
  readonly cacheWrite?: number | undefined
}

/** The usage of a call, in our own terms. */
export function usageOf(raw: LanguageModelV4Usage | undefined, prices: Prices | undefined): Usage {
  const inputTokens = raw?.inputTokens.total ?? 0
  const outputTokens = raw?.outputTokens.total ?? 0
  const cachedInputTokens = raw?.inputTokens.cacheRead ?? 0
  const usage = { inputTokens, outputTokens, cachedInputTokens }
  if (prices === undefined) return usage
  const { input, output, cachedInput = input, cacheWrite = input } = prices
  const written = raw?.inputTokens.cacheWrite ?? 0
  const fresh = inputTokens - cachedInputTokens - written
  const cost = fresh * input + cachedInputTokens * cachedInput + written * cacheWrite + outputTokens * output
  return { ...usage, cost: cost / 1_000_000 }
}
