import type { Principal } from '@cool-ai/beach-core'
import type { WantedAuth } from './wanted-credential.ts'

// Beside the principal and not in it: who somebody is does not depend on how it was shown.
const noted = new WeakMap<Principal, WantedAuth>()

/** Notes for a principal by which credential it was recognised. */
export function recognisedBy(principal: Principal, credential: WantedAuth): Principal {
  noted.set(principal, credential)
  return principal
}

/**
 * True when a principal is somebody whom this auth lets in. Guests are nobody. A credential of which it is not noted what
 * it was is one of the agent's own, or of the application's, and counts.
 */
export function isRecognisedFor(principal: Principal, { type, header }: WantedAuth): boolean {
  if (principal.kind === 'anonymous') return false
  const credential = noted.get(principal)
  if (credential === undefined) return true
  return credential.type === type && (credential.header === undefined || credential.header === header?.toLowerCase())
}
