import type { Authenticator, Principal } from '@cool-ai/beach-core'

/**
 * Every caller is this principal, whatever its credential: for a development machine, or a network where all are trusted. It
 * opens no endpoint for which the card asks for a credential.
 */
export function noAuth(principal: Principal): Authenticator {
  return async () => ({ principal, credential: { type: 'none' } })
}
