import { requireScopes } from '@cool-ai/beach-channel/auth'
import { remoteNetwork } from '@cool-ai/beach-channel/http'
import { BeachError, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import type { Caller } from './caller.ts'
import type { ProtectedResource } from './protected-resource.ts'

export interface DoorOptions {
  /** Must not go by cookies: another site's page could send those. */
  readonly authenticate: Authenticator
  /** Who may come in, when not everybody may. */
  readonly auth?: ProtectedResource | undefined
  /** Host names, besides the loopback ones, that the endpoint answers to. */
  readonly hosts?: readonly string[] | undefined
  /** Origins of web pages, besides those of the endpoint's own host, that may call it. */
  readonly origins?: readonly string[] | undefined
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Lets a request in, or throws: by its host, its origin, and whoever sends it. */
export async function letIn(request: Request, options: DoorOptions): Promise<Caller> {
  checkSite(request, options)
  const principal = (await askAuthenticator(options.authenticate, request))?.principal
  const { auth } = options
  const network = remoteNetwork(request)
  const from = network === undefined ? {} : { network }
  if (auth === undefined) return principal === undefined ? from : { ...from, principal }
  return { ...from, principal: authorised(principal, auth) }
}

function authorised(principal: Principal | undefined, { requiredScopes }: ProtectedResource): Principal {
  // Anybody gets a token as a guest.
  if (principal === undefined || principal.kind === 'anonymous') {
    throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with an access token for this agent.')
  }
  requireScopes(principal, requiredScopes)
  return principal
}

/** Refuses foreign names that point here, and pages of other sites: neither is what a user meant. */
function checkSite(request: Request, { hosts = [], origins = [] }: DoorOptions): void {
  const { hostname } = new URL(request.url)
  if (!loopback.has(hostname) && !hosts.includes(hostname)) {
    throw new BeachError('WRONG_HOST', 'This agent does not answer to that host name. Add it to `hosts` if it should.')
  }
  const origin = request.headers.get('origin')
  if (origin === null || origins.includes(origin)) return
  const from = URL.canParse(origin) ? new URL(origin).hostname : undefined
  const isLocal = from !== undefined && loopback.has(from) && loopback.has(hostname)
  if (from === hostname || isLocal) return
  throw new BeachError('FORBIDDEN', 'Pages of that origin may not call this agent. Add it to `origins` if they should.')
}
