import { BeachError, isBeachError, type Clock, type Principal } from '@cool-ai/beach-core'
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose'
import { z } from 'zod'
import type { Fetch } from './fetch.ts'
import { JwksCache } from './jwks-cache.ts'
import { personTokenAlgorithm, personTokenType } from './person-tokens.ts'
import { failureName, unavailable } from './unavailable.ts'

/** How far the other agent's clock may be off. */
const clockTolerance = 30
const maxTokenLength = 4_096

const claimsSchema = z.object({
  kind: z.enum(['user', 'anonymous']),
  sub: z.string().min(1),
  tenant: z.string().min(1),
})

/** A person whom another agent speaks for. */
export interface VouchedPerson {
  readonly principal: Principal
  /** The id of the agent that speaks for them. */
  readonly agent: string
}

/** Which agents may say who is calling. */
export interface PersonAuthOptions {
  /** The id of this agent: tokens for others do not count. */
  readonly agentId: string
  /** Where the keys of the agents are that may say who is calling, by their ids. */
  readonly keysOf: Readonly<Record<string, string>>
  readonly fetch: Fetch
  readonly clock: Clock
}

/**
 * Finds out for whom another agent calls, by the token of `PersonTokens`. Undefined for a request without such a token, an
 * error for one that does not count. The principal has no scopes: what a person may do here, no other agent says.
 */
export function personAuth({ agentId, keysOf, fetch, clock }: PersonAuthOptions) {
  const caches = new Map(Object.entries(keysOf).map(([id, uri]) => [id, new JwksCache({ uri, fetch, clock })]))
  return async (request: Request): Promise<VouchedPerson | undefined> => {
    const token = personToken(request)
    if (token === undefined) return undefined
    const issuer = issuerOf(token)
    const keys = caches.get(issuer)
    if (keys === undefined) throw refused('is of an agent that may not say here who is calling')
    const claims = await verified(token, keys, {
      issuer,
      audience: agentId,
      algorithms: [personTokenAlgorithm],
      typ: personTokenType,
      clockTolerance,
      requiredClaims: ['exp', 'iat'],
      currentDate: new Date(clock.now()),
    })
    const { success, data } = claimsSchema.safeParse(claims)
    if (!success) throw refused('names neither a user nor a guest')
    return { principal: { kind: data.kind, id: data.sub, tenant: data.tenant }, agent: issuer }
  }
}

type Checks = NonNullable<Parameters<typeof jwtVerify>[2]>

async function verified(token: string, { keyFor }: JwksCache, checks: Checks): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keyFor, checks)).payload
  } catch (error) {
    if (isBeachError(error)) throw error
    if (error instanceof errors.JWTExpired) throw refused('has expired; compare the clocks of the two agents')
    if (error instanceof errors.JWTClaimValidationFailed) throw refused(`has the wrong '${error.claim}'`)
    if (error instanceof errors.JOSEError) throw refused('is not signed by a key of the agent that it names')
    throw unavailable('A key that tokens are checked with cannot be used.', failureName(error))
  }
}

/** The request's bearer token if it is one of these; others are for other authenticators. */
function personToken(request: Request): string | undefined {
  const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (token === undefined || token.length > maxTokenLength) return undefined
  try {
    return decodeProtectedHeader(token).typ === personTokenType ? token : undefined
  } catch {
    return undefined
  }
}

function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? ''
  } catch {
    return ''
  }
}

function refused(problem: string): BeachError {
  return new BeachError('UNAUTHENTICATED', `This token of another agent ${problem}.`)
}
