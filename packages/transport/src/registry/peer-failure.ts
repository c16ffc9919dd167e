import { BeachError, isBeachError } from '@cool-ai/beach-core'

// Why a guarded fetch refuses an address that the configuration of the peer may allow.
const allowable = new Set<unknown>(['not-public', 'not-https', 'other-origin'])

/** The failure of a peer's card, as an error that names the peer. */
export function peerFailure(name: string, error: unknown): BeachError {
  if (!isBeachError(error)) {
    return new BeachError('INTERNAL', `The card of ${name} could not be checked. Try again later.`, { cause: error })
  }
  const hint = allowable.has(error.details.reason) ? " The peer's allowOrigins is the place for it." : ''
  const message = `The card of ${name} cannot be used. ${error.message}${hint}`
  return new BeachError(error.code, message, { cause: error, details: { ...error.details } })
}
