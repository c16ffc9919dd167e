import { requireCredential, type AccessRequirements } from '@cool-ai/beach-channel/auth'
import { BeachError, type Authenticator } from '@cool-ai/beach-core'
import type { Identity } from './identity.ts'

/** Who is calling at a endpoint, by what the card asks for there. */
export type AccessPolicy = (required: AccessRequirements) => Authenticator

/** Where the card asks for nothing all credentials count, guests' tokens too; `open` reads those. */
export function accessPolicy(
  authenticators: readonly Authenticator[],
  { byKnownBearer }: Identity,
  open: Authenticator,
): AccessPolicy {
  return (required) => {
    if (required.auths.length === 0) return open
    if (authenticators.length > 0) return requireCredential(required, authenticators, byKnownBearer)
    const types = [...new Set(required.auths.map(({ type }) => `'${type}'`))].join(', ')
    const message = `The card asks callers for ${types}, and no authenticator recognises them. Give createBeach \`authenticators\`.`
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
}
