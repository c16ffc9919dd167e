import { requireScopes } from '@cool-ai/beach-channel/auth'
import { refusedOrigin, remoteNetwork } from '@cool-ai/beach-channel/http'
import { BeachError, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import type { Caller } from './caller.ts'
import type { ProtectedResource } from './protected-resource.ts'

export interface McpAccessOptions {
  /** Must not go by cookies: another site's page could send those. */
  readonly authenticate: Authenticator
  /** Who is admitted, where not every caller is. */
  readonly auth?: ProtectedResource | undefined
  /** Host names, besides the loopback ones, that the endpoint answers to. */
  readonly hosts?: readonly string[] | undefined
  /** Origins of web pages, besides those of the endpoint's own host, that may call it. */
  readonly origins?: readonly string[] | undefined
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Lets a request in, or throws: by its host, its origin, and its sender. */
export async function authorizeRequest(request: Request, options: McpAccessOptions): Promise<Caller> {
  checkSite(request, options)
  const principal = (await askAuthenticator(options.authenticate, request))?.principal
  const { auth } = options
  const network = remoteNetwork(request)
  const from = network === undefined ? {} : { network }
  if (auth === undefined) return principal === undefined ? from : { ...from, principal }
  return { ...from, principal: authorised(principal, auth) }
}

function authorised(principal: Principal | undefined, { requiredScopes }: ProtectedResource): Principal {
  // Any caller gets a guest token.
  if (principal === undefined || principal.kind === 'anonymous') {
    throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with an access token for this agent.')
  }
  requireScopes(principal, requiredScopes)
  return principal
}

/** Refuses foreign names that point here, and pages of other sites: neither is what a user meant. */
function checkSite(request: Request, { hosts = [], origins = [] }: McpAccessOptions): void {
  const { hostname } = new URL(request.url)
  if (!loopback.has(hostname) && !hosts.includes(hostname)) {
    throw new BeachError(
      'WRONG_HOST',
      'This agent does not answer to that host name. Set `publicUrl`, or add it to `access.hosts`, if it should.',
    )
  }
  const origin = request.headers.get('origin')
  if (origin === null || origins.includes(origin)) return
  const from = URL.canParse(origin) ? new URL(origin).hostname : undefined
  const isLocal = from !== undefined && loopback.has(from) && loopback.has(hostname)
  if (from === hostname || isLocal) return
  throw refusedOrigin(origin)
}
