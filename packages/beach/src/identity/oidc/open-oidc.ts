import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError, type Authenticator, type Channel } from '@cool-ai/beach-core'
import type { Audit } from '@cool-ai/beach-core/ports'
import type { AgentSettings } from '../../agent-settings.ts'
import type { Callers } from '../../callers.ts'
import { oidcBearer } from './oidc-bearer.ts'
import { OidcLogins } from './oidc-logins.ts'
import { checkedOidc } from './oidc-options.ts'
import { oidcRoutes, ownAddress } from './oidc-routes.ts'
import { Provider } from './provider.ts'
import { SignInCookies } from './sign-in-cookies.ts'

/** Signing in with a provider, for an agent that has one. */
export interface Oidc {
  /** Knows programs by tokens of the provider. */
  readonly byBearer: Authenticator
  readonly maxMs: number
  /** What is answered once it is known who signs callers in. */
  serve(callers: Callers, audit: Audit): OidcService
}

/** The routes for signing in, and what pages need to lead there. */
export interface OidcService extends Required<Pick<Channel, 'routes' | 'openapi'>> {
  /** Where a browser signs in, to come back to a path; undefined for one that has. */
  readonly signInUrl: (request: Request, to: string) => Promise<string | undefined>
  /** Ends what the browser keeps for the provider: the cookies to set, and where its session there ends. */
  signOut(request: Request): Promise<{ readonly cookies: readonly string[]; readonly url: URL | undefined }>
}

/** Opens the provider of `access.oidc`; nothing is asked of it before the first sign-in. */
export function openOidc(settings: AgentSettings, signal: AbortSignal): Oidc {
  const { runtime, tenant, publicUrl, secret, store } = settings
  if (settings.oidc === undefined) throw new BeachError('INTERNAL', 'There is no provider.')
  const oidc = checkedOidc(settings.oidc, process.env)
  const { clock, logger } = runtime
  const { origin } = new URL(oidc.issuer)
  const fetch = guardedFetch({ clock, allow: [origin] })
  signal.addEventListener('abort', () => void fetch.close(), { once: true })
  const provider = new Provider(oidc, { fetch, clock, logger })
  return {
    maxMs: oidc.maxMs,
    byBearer: oidcBearer(provider, oidc, { tenant, fetch, clock }),
    serve({ identity, revocations, byAnything }, audit) {
      const base = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '')
      const { cookieName } = identity
      const isSecure = (request: Request) => identity.isSecureFor(request)
      const cookies = new SignInCookies({ secret, runtime, cookieName, base, isSecure })
      const logins = new OidcLogins(store, revocations)
      return {
        ...oidcRoutes({ settings, oidc, provider, cookies, logins, identity, revocations, audit, signal }),
        signInUrl: async (request, to) => {
          const known = (await byAnything(request).catch(() => undefined))?.principal
          if (known !== undefined && known.kind !== 'anonymous') return undefined
          return `${ownAddress(request, publicUrl)}/login?to=${encodeURIComponent(to)}`
        },
        async signOut(request) {
          const kept = cookies.kept(request)
          if (kept === undefined) return { cookies: [], url: undefined }
          const home = `${ownAddress(request, publicUrl)}/`
          // A provider that does not answer must not keep a person from signing out here.
          const url = await provider.endSessionUrl(kept.idToken, home).catch(() => undefined)
          return { cookies: [cookies.forgetIdToken(request)], url }
        },
      }
    },
  }
}
