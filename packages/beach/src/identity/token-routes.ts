import { bodyLimits, jsonResponse, readJson, type BodyLimits } from '@cool-ai/beach-channel/http'
import { BeachError, type Channel, type Clock } from '@cool-ai/beach-core'
import { principalKey, type Audit } from '@cool-ai/beach-core/ports'
import { z } from 'zod'
import type { Identity } from './identity.ts'
import type { OidcService } from './oidc/open-oidc.ts'
import { isForm, signedOutPage, signOutPage } from './sign-out-pages.ts'
import type { Revocations } from './revocations.ts'

const tokenBody = z.strictObject({ refreshToken: z.string().min(1).max(5_000) })
const logoutBody = z.strictObject({ everywhere: z.boolean().optional() })

/** Renewing tokens, and logging out. */
export function tokenRoutes(options: {
  readonly agent: { readonly name: string }
  readonly identity: Identity
  readonly revocations: Revocations
  readonly audit: Audit
  readonly clock: Clock
  readonly body: BodyLimits | undefined
  /** Where people sign in with a provider, they sign out by a page. */
  readonly oidc?: Pick<OidcService, 'signOut'> | undefined
}): Required<Pick<Channel, 'routes' | 'openapi'>> {
  const { agent, identity, revocations, audit, clock, oidc } = options
  const json = (request: Request) => readJson(request, { limits: options.body ?? bodyLimits, clock })

  const renew = async (request: Request): Promise<Response> => {
    const body = tokenBody.safeParse(await json(request))
    if (!body.success) throw new BeachError('BAD_REQUEST', '`POST /token` takes a `refreshToken`, and nothing else.')
    const renewed = await identity.logins.renew(body.data.refreshToken)
    if (renewed === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'This refresh token is not valid, or not any more. Log in again.')
    }
    return jsonResponse(renewed.tokens, 200, { 'cache-control': 'no-store' })
  }

  const logOut = async (request: Request): Promise<Response> => {
    const isPage = oidc !== undefined && isForm(request)
    const body = logoutBody.safeParse(isPage ? {} : ((await json(request)) ?? {}))
    if (!body.success) throw new BeachError('BAD_REQUEST', '`POST /logout` takes `everywhere`, true or false.')
    const known = await identity.loginOf(request)
    const isBearer = request.headers.has('authorization')
    if (known === undefined && isBearer) {
      throw new BeachError('UNAUTHENTICATED', 'This token is not one of this agent, or not valid any more.')
    }
    if (known !== undefined) {
      const { principal, login } = known
      const isEverywhere = body.data.everywhere === true
      await audit.record({ by: principal, kind: 'act', what: isEverywhere ? 'logout.everywhere' : 'logout' })
      const by = { tenant: principal.tenant, by: principalKey(principal) }
      await revocations.revoke(isEverywhere ? { principal } : { id: login.id }, by)
    }
    const left = isBearer ? undefined : await oidc?.signOut(request)
    const response = isPage ? signedOutPage(agent.name, left?.url) : new Response(null, { status: 204 })
    const cookies = isBearer ? [] : [...identity.forget(request), ...(left?.cookies ?? [])]
    for (const cookie of cookies) response.headers.append('set-cookie', cookie)
    return response
  }

  return {
    routes: [
      { method: 'POST', path: '/token', answer: renew },
      { method: 'POST', path: '/logout', answer: logOut },
      ...(oidc ? [{ method: 'GET', path: '/logout', answer: async () => signOutPage(agent.name) } as const] : []),
    ],
    openapi: async () => (await import('../openapi/token-openapi.ts')).tokenOpenApi(),
  }
}
