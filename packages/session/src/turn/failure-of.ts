import { isBeachError } from '@cool-ai/beach-core'
import { outcomeOf, unknownOutcome } from '@cool-ai/beach-core/runtime'

/** How a tool, or work, that threw has ended, and what its actor is told of it. */
export function failureOf(
  error: unknown,
  isIdempotent: boolean,
  what: string,
): { readonly outcome: 'failed' | 'unknown'; readonly reason: string } {
  const outcome = outcomeOf(error, isIdempotent)
  if (outcome === 'failed') return { outcome, reason: isBeachError(error) ? error.message : `${what} failed.` }
  const said = isBeachError(error) ? error.message : `${what} did not come to its end.`
  return { outcome, reason: `${said} ${unknownOutcome}` }
}
