import { BeachError, systemClock, type Authenticator, type Clock } from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import type { CardTransport } from '@cool-ai/beach-protocol/agent-card'
import type { AuthSettings } from './auth-method.ts'
import { authMethods, type AuthMethodRegistry } from './auth-methods.ts'
import type { Fetch } from './fetch.ts'
import { checkScopes, requireScopes } from './scopes.ts'

/** What an authenticator for an auth type of a card needs. */
export interface AuthenticatorForOptions {
  /** Gets the keys of token issuers; needed for `oauth2` with a `jwksUri`. */
  readonly fetch?: Fetch | undefined
  /** Origins that may be asked by http, such as `http://keycloak:8080`. */
  readonly allow?: readonly string[] | undefined
  readonly clock?: Clock | undefined
  readonly methods?: AuthMethodRegistry | undefined
}

/**
 * The authenticator of one transport of the agent's own card: it reads callers by the transport's auth type, and
 * refuses callers that lack the scopes that the transport requires.
 */
export function authenticatorFor(
  { auth = { type: 'none' }, requiredScopes = [] }: Partial<Pick<CardTransport, 'auth' | 'requiredScopes'>>,
  settings: AuthSettings = {},
  options: AuthenticatorForOptions = {},
): Authenticator {
  const { clock = systemClock, methods = authMethods, allow = [], fetch } = options
  const method = methods.get(auth.type)?.authenticator
  if (method === undefined) {
    const known = methods.entries().filter((one) => one.authenticator !== undefined)
    const message = `Callers cannot use auth of the type '${auth.type}' here. Known are: `
    const advice = `${known.map(({ id }) => id).join(', ')}; others are added by authMethods.register.`
    throw new BeachError('INVALID_CONFIGURATION', message + advice)
  }
  if (settings.none === undefined) checkScopes({ auth, requiredScopes })
  const from = fetch === undefined ? {} : { fetch }
  const authenticate = method(auth, { settings: settings[auth.type], clock, allow, ...from })
  return async (request) => {
    const known = await askAuthenticator(authenticate, request)
    if (known !== undefined) requireScopes(known.principal, requiredScopes)
    return known
  }
}
