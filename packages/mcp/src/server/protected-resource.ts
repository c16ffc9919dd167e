import { challengeIn } from '@cool-ai/beach-channel/auth'
import { isBeachError } from '@cool-ai/beach-core'

/** How callers get tokens for an endpoint that takes no others (RFC 9728). */
export interface ProtectedResource {
  /** The endpoint's public URL; the audience that tokens must be for. */
  readonly resource: string
  /** The issuers of such tokens. */
  readonly authorizationServers: readonly string[]
  /** Where they issue them, for an agent's card; clients of MCP find it by themselves. */
  readonly tokenEndpoint?: string
  readonly scopesSupported?: readonly string[]
  /** The scopes that every caller needs. */
  readonly requiredScopes?: readonly string[]
}

const wellKnown = '/.well-known/oauth-protected-resource'

/** The path of the metadata of an endpoint. */
export function metadataPath(path: string): string {
  return `${wellKnown}${path}`
}

/** The metadata, for every caller. */
export function metadataResponse(request: Request, auth: ProtectedResource): Response {
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return new Response(null, { status: 405, headers: { allow: 'GET' } })
  }
  const { resource, authorizationServers, requiredScopes = [], scopesSupported = requiredScopes } = auth
  const metadata = {
    resource,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ['header'],
    ...(scopesSupported.length > 0 && { scopes_supported: scopesSupported }),
  }
  return Response.json(metadata, { headers })
}

/** The header by which a client that was refused learns how to come in. */
export function challenge(error: unknown, auth: ProtectedResource | undefined): Record<string, string> {
  if (auth === undefined)
    return isBeachError(error, 'UNAUTHENTICATED') ? { 'www-authenticate': challengeIn(error) } : {}
  const isScope = isBeachError(error, 'FORBIDDEN') && error.details.missing !== undefined
  if (!isBeachError(error, 'UNAUTHENTICATED') && !isScope) return {}
  const parameters: string[] = []
  if (isScope) parameters.push('error="insufficient_scope"')
  const { origin, pathname } = new URL(auth.resource)
  const scopes = auth.requiredScopes ?? []
  if (scopes.length > 0) parameters.push(`scope="${scopes.join(' ')}"`)
  parameters.push(`resource_metadata="${origin}${metadataPath(pathname === '/' ? '' : pathname)}"`)
  return { 'www-authenticate': `Bearer ${parameters.join(', ')}` }
}
