import type { Runtime } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import type { ModelFailure } from './model-failure.ts'

/** How often a model call is retried, and with which pauses. */
export interface RetryPolicy {
  /** All attempts, the first one among them. */
  readonly attempts?: number | undefined
  readonly baseMs?: number | undefined
  /** No wait is longer; a provider that asks for more is not tried again. */
  readonly maxMs?: number | undefined
}

const defaults = { attempts: 4, baseMs: 500, maxMs: 30_000 }

/** How long to wait before the next attempt; undefined when there must be none. */
export function retryDelay(
  { retryable, retryAfter }: ModelFailure,
  attempt: number,
  policy: RetryPolicy,
  runtime: Runtime,
): number | undefined {
  const { attempts, baseMs, maxMs } = withDefaults(defaults, policy)
  if (attempt >= attempts || !retryable) return undefined
  if (retryAfter !== undefined) {
    const asked = 'ms' in retryAfter ? retryAfter.ms : Math.max(retryAfter.at - runtime.clock.now(), 0)
    return asked > maxMs ? undefined : asked
  }
  return Math.min(baseMs * 2 ** (attempt - 1), maxMs) * (0.5 + runtime.random() / 2)
}
