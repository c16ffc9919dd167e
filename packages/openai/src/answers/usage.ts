import type { TokenUsage } from '@cool-ai/beach-core/ports'
import type { Desk } from '../desk.ts'
import type { Answering } from './answering.ts'

/** What the models have used for an answer. */
export async function usageOf({ options }: Desk, { plan, answer, upTo }: Answering): Promise<TokenUsage> {
  const { session, principal } = plan.place
  const { turnId } = answer
  if (turnId === undefined) return { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }
  return options.sessions.usage(session, turnId, principal, { after: plan.answer.from, upTo })
}
