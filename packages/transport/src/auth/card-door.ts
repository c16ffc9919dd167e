import { BeachError, isBeachError, type Authenticator, type Principal } from '@cool-ai/beach-core'
import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'
import { headerName } from './header-name.ts'
import { isRecognisedFor } from './recognised-by.ts'
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

/** Lets in whoever one of the authenticators recognises by a credential that the door asks for, and nobody else. */
export function closedDoor(door: CardDoor, authenticators: readonly Authenticator[]): Authenticator {
  return async (request) => {
    const principal = await firstFitting(request, door, authenticators)
    requireScopes(principal, door.requiredScopes)
    return principal
  }
}

async function firstFitting(
  request: Request,
  { auths }: CardDoor,
  authenticators: readonly Authenticator[],
): Promise<Principal> {
  const details = { challenge: wantedChallenge(auths) }
  for (const authenticate of authenticators) {
    const principal = await asked(authenticate, request, details)
    if (principal !== undefined && auths.some((auth) => isRecognisedFor(principal, auth))) return principal
  }
  const message = `Nothing that came with this request lets you in here. ${wantedCredential(auths)}`
  throw new BeachError('UNAUTHENTICATED', message, { details })
}

/** What is wrong with a credential is for its authenticator to say; what to bring instead, for the door. */
async function asked(
  authenticate: Authenticator,
  request: Request,
  details: { readonly challenge: string },
): Promise<Principal | undefined> {
  try {
    return await authenticate(request)
  } catch (error) {
    throw isBeachError(error, 'UNAUTHENTICATED') ? new BeachError(error.code, error.message, { details }) : error
  }
}
