import { BeachError } from '@cool-ai/beach-core'

/** A server that must confirm a credential does not answer: the credential may be right, and trying again can help. */
export function unavailable(message: string, reason: string): BeachError {
  return new BeachError('UNREACHABLE', `${message} Try again in a moment.`, { details: { reason } })
}

/**
 * The kind of failure, for operators. The error itself is dropped: some fetches write the request into it, with all its
 * headers.
 */
export function failureName(error: unknown, depth = 3): string {
  if (!(error instanceof Error)) return 'Error'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code !== undefined && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code
  return depth > 0 && error.cause instanceof Error ? failureName(error.cause, depth - 1) : error.name
}
