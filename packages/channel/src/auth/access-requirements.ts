import { BeachError, isBeachError, type Authenticator } from '@cool-ai/beach-core'
import { askAuthenticator, type Authentication } from '@cool-ai/beach-core/ports'
import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'
import { headerName } from './header-name.ts'
import { requireScopes } from './scopes.ts'
import { requiredChallenge, requiredCredential, type RequiredAuth } from './required-credential.ts'

/** What an endpoint requires of its callers, by the agent's own card. */
export interface AccessRequirements {
  /** The credentials of which a caller needs one; none where no credential is needed. */
  readonly auths: readonly RequiredAuth[]
  readonly requiredScopes: readonly string[]
}

type Entry = Pick<AgentCardInput['transports'][number], 'auth' | 'requiredScopes'>

/**
 * The endpoint that these transports of a card share: it requires what one of them requires, though the others do not.
 */
export function accessRequirements(transports: readonly Entry[]): AccessRequirements {
  const auths = transports.flatMap(({ auth }) => (auth === undefined || auth.type === 'none' ? [] : [auth]))
  for (const { type, header } of auths) if (type === 'api-key') headerName(header)
  return { auths, requiredScopes: [...new Set(transports.flatMap(({ requiredScopes = [] }) => requiredScopes))] }
}

/**
 * Admits only callers that an authenticator recognises by a required credential, or `trusted` by any.
 */
export function requireCredential(
  required: AccessRequirements,
  authenticators: readonly Authenticator[],
  trusted?: Authenticator,
): Authenticator {
  return async (request) => {
    const known =
      (await firstFitting(request, required, authenticators)) ?? (trusted && (await askAuthenticator(trusted, request)))
    if (known === undefined || known.principal.kind === 'anonymous') throw notAuthenticated(required)
    requireScopes(known.principal, required.requiredScopes)
    return known
  }
}

async function firstFitting(
  request: Request,
  { auths }: AccessRequirements,
  authenticators: readonly Authenticator[],
): Promise<Authentication | undefined> {
  for (const authenticate of authenticators) {
    const known = await asked(authenticate, request, auths)
    if (known !== undefined && auths.some((auth) => fits(known, auth))) return known
  }
  return undefined
}

function notAuthenticated({ auths }: AccessRequirements): BeachError {
  const details = { challenge: requiredChallenge(auths) }
  const message = `This request has no valid credential. ${requiredCredential(auths)}`
  return new BeachError('UNAUTHENTICATED', message, { details })
}

/** The authenticator says what is wrong with a credential; the endpoint says which one it requires. */
async function asked(
  authenticate: Authenticator,
  request: Request,
  auths: readonly RequiredAuth[],
): Promise<Authentication | undefined> {
  try {
    return await askAuthenticator(authenticate, request)
  } catch (error) {
    const details = { challenge: requiredChallenge(auths) }
    throw isBeachError(error, 'UNAUTHENTICATED') ? new BeachError(error.code, error.message, { details }) : error
  }
}

/** True when this auth admits a caller by the credential that it came with. Guests have none. */
function fits({ principal, credential }: Authentication, { type, header }: RequiredAuth): boolean {
  if (principal.kind === 'anonymous' || credential.type !== type) return false
  return header === undefined || credential.header?.toLowerCase() === header.toLowerCase()
}
