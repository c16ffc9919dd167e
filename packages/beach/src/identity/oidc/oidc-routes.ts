import { readBytes } from '@cool-ai/beach-channel/http'
import { plainPage } from '@cool-ai/beach-channel/pages'
import { BeachError, isBeachError, type Channel, type Principal } from '@cool-ai/beach-core'
import type { Audit } from '@cool-ai/beach-core/ports'
import { escapeHtml } from '@cool-ai/beach-core/runtime'
import type { JWTPayload } from 'jose'
import type { AgentSettings } from '../../agent-settings.ts'
import type { Identity } from '../identity.ts'
import type { Revocations } from '../revocations.ts'
import type { OidcLogins } from './oidc-logins.ts'
import type { OidcSettings } from './oidc-options.ts'
import type { Provider } from './provider.ts'
import { returnPath } from './return-path.ts'
import type { SignInCookies } from './sign-in-cookies.ts'

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const maxFormBytes = 32_768

/** What signing in works with. */
export interface OidcParts {
  readonly settings: Pick<AgentSettings, 'agent' | 'runtime' | 'tenant' | 'publicUrl'>
  readonly oidc: OidcSettings
  readonly provider: Provider
  readonly cookies: SignInCookies
  readonly logins: OidcLogins
  readonly identity: Identity
  readonly revocations: Revocations
  readonly audit: Audit
  readonly signal: AbortSignal
}

/** Signing in at the provider and back, and the provider's word that a session there has ended. */
export function oidcRoutes(parts: OidcParts): Required<Pick<Channel, 'routes' | 'openapi'>> {
  return {
    routes: [
      { method: 'GET', path: '/login', answer: (request) => begin(request, parts) },
      { method: 'GET', path: '/login/callback', answer: (request) => end(request, parts) },
      { method: 'POST', path: '/login/ended', answer: (request) => endedElsewhere(request, parts) },
    ],
    openapi: async () => (await import('../../openapi/oidc-openapi.ts')).oidcOpenApi(),
  }
}

/** The address that the browser knows the agent by, without a slash at its end. */
export function ownAddress(request: Request, publicUrl: string | undefined): string {
  return (publicUrl ?? new URL(request.url).origin).replace(/\/+$/, '')
}

async function begin(request: Request, parts: OidcParts): Promise<Response> {
  const { provider, cookies, settings } = parts
  const to = returnPath(new URL(request.url).searchParams.get('to'))
  return shown(request, parts, to, async () => {
    const redirectUri = `${ownAddress(request, settings.publicUrl)}/login/callback`
    const { begun, cookie } = await cookies.begin(request, redirectUri, to)
    const url = await provider.authorizationUrl(begun)
    return redirect(url.href, [cookie])
  })
}

async function end(request: Request, parts: OidcParts): Promise<Response> {
  const { provider, cookies, logins, oidc, settings } = parts
  const url = new URL(request.url)
  const state = url.searchParams.get('state') ?? ''
  const begun = await cookies.begun(request, state)
  return shown(request, parts, begun?.to ?? '/', async () => {
    if (begun === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'This browser has not begun to sign in here, or too long ago.')
    }
    if (!(await logins.isFirstUse(state, settings.runtime.id('use')))) {
      throw new BeachError('UNAUTHENTICATED', 'This answer of the sign-in provider was used before.')
    }
    const { claims, idToken } = await provider.signedIn(url, begun, parts.signal)
    const principal = personOf(claims, oidc, settings.tenant)
    const cookiesOfLogin = await logIn(request, claims, principal, parts)
    const all = [cookies.ended(request, state), cookies.keepIdToken(request, idToken, oidc.maxMs), ...cookiesOfLogin]
    return redirect(ownAddress(request, settings.publicUrl) + begun.to, all)
  })
}

async function logIn(request: Request, claims: JWTPayload, principal: Principal, parts: OidcParts) {
  const { logins, identity, oidc, audit, settings } = parts
  const id = settings.runtime.id('login')
  // Before there is such a login: a process that dies here leaves a key of none.
  await logins.remember(claims, id, principal)
  await audit.record({ by: principal, kind: 'act', what: 'login', detail: 'oidc' })
  return identity.cookiesOf(principal, request, { id, maxMs: oidc.maxMs })
}

/** The principal of a person who has signed in; one whom the application does not let in is told so. */
function personOf(claims: JWTPayload, { principalOf, roles }: OidcSettings, tenant: string): Principal {
  const known = principalOf === undefined ? { id: `${claims.iss ?? ''}#${claims.sub ?? ''}` } : principalOf(claims)
  if (typeof known?.id !== 'string' || known.id === '') {
    throw new BeachError(
      'FORBIDDEN',
      'You have signed in, but you may not use this agent. Ask the operator for access.',
    )
  }
  return { kind: 'user', id: known.id, tenant: known.tenant ?? tenant, roles: roles(claims) }
}

/** By the provider itself, from server to server: the sessions of a person have ended there (back-channel logout). */
async function endedElsewhere(
  request: Request,
  { provider, logins, oidc, settings, audit }: OidcParts,
): Promise<Response> {
  const body = await readBytes(request, maxFormBytes, { clock: settings.runtime.clock })
  const token = new URLSearchParams(new TextDecoder().decode(body)).get('logout_token') ?? ''
  const claims = await logoutClaims(token, provider, oidc)
  const count = await logins.end(claims)
  await audit.record({ by: 'agent', kind: 'act', what: 'logout.provider', detail: String(count) })
  return new Response(null, { status: 200, headers: { 'cache-control': 'no-store' } })
}

async function logoutClaims(token: string, provider: Provider, { clientId }: OidcSettings): Promise<JWTPayload> {
  const claims = await provider.verify(token, clientId, ['jti', 'events']).catch((error: unknown) => {
    if (isBeachError(error)) throw error
    throw new BeachError('BAD_REQUEST', 'This is no valid logout token of the sign-in provider.')
  })
  const { events, nonce, sub, sid } = claims
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, logoutEvent)
  if (isLogout && nonce === undefined && (sub !== undefined || typeof sid === 'string')) return claims
  throw new BeachError('BAD_REQUEST', 'This token of the sign-in provider is not one that logs out.')
}

/** A page for people in place of an error, with the way to try again; programs get the error. */
async function shown(
  request: Request,
  { settings, audit }: OidcParts,
  to: string,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    if (!isBeachError(error)) throw error
    if (error.status < 500) await audit.record({ by: 'unknown', kind: 'refused', what: 'login', detail: error.code })
    if (request.headers.get('accept')?.includes('text/html') !== true) throw error
    const again = `${ownAddress(request, settings.publicUrl)}/login?to=${encodeURIComponent(to)}`
    const body = `<p>${escapeHtml(error.message)}</p><p><a href="${escapeHtml(again)}">Try again</a></p>`
    return plainPage({ status: error.status, from: settings.agent.name, title: 'You are not signed in', body })
  }
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}
