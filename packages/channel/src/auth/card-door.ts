import { BeachError, isBeachError, type Authenticator } from '@cool-ai/beach-core'
import { askAuthenticator, type Authentication } from '@cool-ai/beach-core/ports'
import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'
import { headerName } from './header-name.ts'
import { fits } from './fits.ts'
import { requireScopes } from './require-scopes.ts'
import { wantedChallenge, wantedCredential, type WantedAuth } from './wanted-credential.ts'

/** What a way in asks of its callers, by the agent's own card. */
export interface CardDoor {
  /** The credentials of which a caller needs one; none where everybody may come. */
  readonly auths: readonly WantedAuth[]
  readonly requiredScopes: readonly string[]
}

type Entry = Pick<AgentCardInput['transports'][number], 'auth' | 'requiredScopes'>

/** The door that these transports of a card share: what one of them asks for, the others do not give away. */
export function cardDoor(transports: readonly Entry[]): CardDoor {
  const auths = transports.flatMap(({ auth }) => (auth === undefined || auth.type === 'none' ? [] : [auth]))
  for (const { type, header } of auths) if (type === 'api-key') headerName(header)
  return { auths, requiredScopes: [...new Set(transports.flatMap(({ requiredScopes = [] }) => requiredScopes))] }
}

/**
 * Lets in whoever one of the authenticators recognises by a credential that the door asks for, or `trusted` by any, and
 * nobody else.
 */
export function closedDoor(
  door: CardDoor,
  authenticators: readonly Authenticator[],
  trusted?: Authenticator,
): Authenticator {
  return async (request) => {
    const known =
      (await firstFitting(request, door, authenticators)) ?? (trusted && (await askAuthenticator(trusted, request)))
    if (known === undefined || known.principal.kind === 'anonymous') throw notLetIn(door)
    requireScopes(known.principal, door.requiredScopes)
    return known
  }
}

async function firstFitting(
  request: Request,
  { auths }: CardDoor,
  authenticators: readonly Authenticator[],
): Promise<Authentication | undefined> {
  for (const authenticate of authenticators) {
    const known = await asked(authenticate, request, auths)
    if (known !== undefined && auths.some((auth) => fits(known, auth))) return known
  }
  return undefined
}

function notLetIn({ auths }: CardDoor): BeachError {
  const details = { challenge: wantedChallenge(auths) }
  const message = `Nothing that came with this request lets you in here. ${wantedCredential(auths)}`
  return new BeachError('UNAUTHENTICATED', message, { details })
}

/** What is wrong with a credential is for its authenticator to say; what to bring instead, for the door. */
async function asked(
  authenticate: Authenticator,
  request: Request,
  auths: readonly WantedAuth[],
): Promise<Authentication | undefined> {
  try {
    return await askAuthenticator(authenticate, request)
  } catch (error) {
    const details = { challenge: wantedChallenge(auths) }
    throw isBeachError(error, 'UNAUTHENTICATED') ? new BeachError(error.code, error.message, { details }) : error
  }
}
