import { oauth2Auth, type Fetch } from '@cool-ai/beach-channel/auth'
import { BeachError, type Authenticator, type Clock } from '@cool-ai/beach-core'
import { decodeJwt, type JWTPayload } from 'jose'
import type { OidcSettings } from './oidc-options.ts'
import type { Provider } from './provider.ts'

/**
 * Programs by a bearer token of the provider: an access token for the agent, or an ID token that the agent's own client was
 * given. Tokens of other issuers, the agent's own too, are left to other authenticators.
 */
export function oidcBearer(
  provider: Provider,
  settings: OidcSettings,
  { tenant, fetch, clock }: { readonly tenant: string; readonly fetch: Fetch; readonly clock: Clock },
): Authenticator {
  const { issuer, clientId, audience = [], principalOf = () => undefined } = settings
  const audiences = [clientId, audience].flat()
  let known: { readonly uri: string; readonly authenticate: Authenticator } | undefined
  const authenticatorOf = (jwksUri: string): Authenticator =>
    oauth2Auth({
      issuer,
      audience: audiences,
      jwksUri,
      fetch,
      clock,
      kind: 'user',
      id: settings.principalOf && ((claims) => principalOf(claims)?.id),
      tenant: (claims) => principalOf(claims)?.tenant ?? tenant,
      roles: settings.roles,
    })
  return async (request) => {
    const claims = claimsIn(request)
    if (claims?.iss !== issuer) return undefined
    refuseOthers(claims, clientId, audiences)
    const uri = await provider.jwksUri()
    if (known?.uri !== uri) known = { uri, authenticate: authenticatorOf(uri) }
    return known.authenticate(request)
  }
}

/** What the token says, which nothing has checked yet. */
function claimsIn(request: Request): JWTPayload | undefined {
  const token = /^Bearer +(\S{1,16384})$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  try {
    return token === undefined ? undefined : decodeJwt(token)
  } catch {
    return undefined
  }
}

/** A token that the provider has made for another end: it is signed as rightly as those that let in. */
function refuseOthers({ events, aud, azp }: JWTPayload, clientId: string, audiences: readonly string[]): void {
  if (events !== undefined) throw new BeachError('UNAUTHENTICATED', 'This bearer token is one that logs out.')
  const isForApi = [aud].flat().some((one) => one !== undefined && one !== clientId && audiences.includes(one))
  if (isForApi || azp === undefined || azp === clientId) return
  throw new BeachError('UNAUTHENTICATED', 'This bearer token was given to another application.')
}
