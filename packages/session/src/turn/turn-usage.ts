import type { LoggedEvent } from '@cool-ai/beach-core/log'
import type { TokenUsage } from '@cool-ai/beach-core/ports'

/** What the models of a turn have used, by what its actors have noted. */
export function turnUsage(events: readonly LoggedEvent[], turnId: string): TokenUsage {
  const sum = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }
  for (const { event } of events) {
    if (event.type !== 'actorNoted' || event.kind !== 'usage' || event.turnId !== turnId) continue
    const {
      inputTokens = 0,
      outputTokens = 0,
      cachedInputTokens = 0,
    } = (event.payload?.value ?? {}) as Partial<TokenUsage>
    sum.inputTokens += inputTokens
    sum.outputTokens += outputTokens
    sum.cachedInputTokens += cachedInputTokens
  }
  return sum
}
