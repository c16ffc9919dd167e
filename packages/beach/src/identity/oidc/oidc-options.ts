import { BeachError, type Principal } from '@cool-ai/beach-core'
import type { JWTPayload } from 'jose'

/** Who the claims of an OpenID Connect provider stand for. */
type ClaimedPrincipal = Pick<Principal, 'id'> & { readonly tenant?: string | undefined }

/** How people sign in with an OpenID Connect provider, and programs with its tokens (docs/guides/identity.md). */
export interface OidcOptions {
  /** The provider's issuer, exactly as its discovery document names it, such as `https://login.example.com/realms/staff`. */
  readonly issuer: string
  readonly clientId: string
  /** `BEACH_OIDC_CLIENT_SECRET` of the environment when left out; without one the client is a public one. */
  readonly clientSecret?: string | undefined
  /** What is asked for besides `openid`; `profile` and `email` when left out. */
  readonly scopes?: readonly string[] | undefined
  /**
   * Who the claims stand for: an id, and a tenant where it is not the agent's. Undefined for a person who is not let in.
   * Issuer and subject together when left out.
   */
  readonly principalOf?: ((claims: JWTPayload) => ClaimedPrincipal | undefined) | undefined
  /** The roles that the claims give, such as `({ groups }) => groups`; none when left out. */
  readonly rolesOf?: ((claims: JWTPayload) => unknown) | undefined
  /** The `aud` of access tokens for this agent, for programs; those for the client id count when left out. */
  readonly audience?: string | readonly string[] | undefined
  /** When a sign-in ends, however often it is used; after 12 hours when left out. */
  readonly maxMs?: number | undefined
}

/** The options with defaults. */
export interface OidcSettings extends Omit<OidcOptions, 'scopes' | 'rolesOf'> {
  readonly scope: string
  readonly maxMs: number
  /** The names of roles in the claims. */
  readonly roles: (claims: JWTPayload) => readonly string[]
}

const hourMs = 60 * 60 * 1_000

/** The settings, or an error that says what is missing. */
export function checkedOidc(options: OidcOptions, environment: NodeJS.ProcessEnv): OidcSettings {
  const {
    issuer,
    clientId,
    scopes = ['profile', 'email'],
    maxMs = 12 * hourMs,
    rolesOf,
    principalOf,
    audience,
  } = options
  const clientSecret = options.clientSecret ?? (environment.BEACH_OIDC_CLIENT_SECRET || undefined)
  if (typeof issuer !== 'string' || !URL.canParse(issuer) || typeof clientId !== 'string' || clientId === '') {
    throw wrong(
      '`access.oidc` needs the `issuer` of your provider, as an address, and the `clientId` that it gave the agent.',
    )
  }
  if (new URL(issuer).search !== '' || new URL(issuer).hash !== '')
    throw wrong('`access.oidc.issuer` has no query and no #.')
  if (!(maxMs >= 60_000)) throw wrong('`access.oidc.maxMs` is at least a minute.')
  const scope = [...new Set(['openid', ...scopes])].join(' ')
  const roles: OidcSettings['roles'] = (claims) => namesIn(rolesOf?.(claims))
  return { issuer, clientId, clientSecret, scope, maxMs, roles, principalOf, audience }
}

/** The names in a claim: a list, or one. What else a provider puts there is none. */
function namesIn(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [value]
  return all.filter((name) => typeof name === 'string')
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
