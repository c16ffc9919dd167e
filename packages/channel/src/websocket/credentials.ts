import type { Authenticator, Principal } from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import { listedOrigin, type AllowedOrigins } from '../http/origins.ts'
import { hasForeignOrigin, notesOf, noteRequest } from '../http/request-source.ts'

/** The subprotocol that both sides speak. */
export const subprotocol = 'beach.v1'

const tokenPrefix = 'bearer.'

/** Authenticates a connection by a token among its subprotocols, or by the request's other credentials. */
export async function callerOf(
  request: Request,
  authenticate: Authenticator,
  allowed: AllowedOrigins = {},
): Promise<Principal | undefined> {
  const token = tokenOf(request)
  if (token !== undefined) return byToken(token, request, authenticate)
  // Browsers add cookies and certificates to the connections of every page, also of other sites: there they prove
  // nothing, unless the page may call.
  const isForeign = hasForeignOrigin(request, allowed.publicUrl) && listedOrigin(request, allowed) === undefined
  return isForeign ? undefined : (await askAuthenticator(authenticate, request))?.principal
}

/** The owner of a token; nothing else of the request counts. */
export async function byToken(
  token: string,
  request: Request,
  authenticate: Authenticator,
): Promise<Principal | undefined> {
  const asking = new Request(request.url, { headers: { authorization: `Bearer ${token}` } })
  noteRequest(asking, { connection: notesOf(request).connection })
  return (await askAuthenticator(authenticate, asking))?.principal
}

/** Browsers can set no header of their own here, but names of subprotocols. */
function tokenOf(request: Request): string | undefined {
  const offered = request.headers.get('sec-websocket-protocol') ?? ''
  const token = offered.split(',').find((name) => name.trim().startsWith(tokenPrefix))
  return token?.trim().slice(tokenPrefix.length)
}
