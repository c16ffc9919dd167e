import type { Authenticator, Principal } from '@cool-ai/beach-core'

/**
 * Everybody is this principal, whatever they bring: for a development machine, or a network where all are trusted. It
 * opens no door for which the card asks for a credential.
 */
export function noAuth(principal: Principal): Authenticator {
  return async () => ({ principal, credential: { type: 'none' } })
}
