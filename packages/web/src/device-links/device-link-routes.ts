import {
  bodyLimits,
  GuessLimit,
  hasForeignOrigin,
  isLoopback,
  jsonResponse,
  readJson,
  remoteNetwork,
  type BodyLimits,
} from '@cool-ai/beach-channel/http'
import {
  BeachError,
  type Authenticator,
  type Principal,
  type Runtime,
  type Sessions,
  type Store,
} from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import { z } from 'zod'
import { DeviceLinks, type IsTakenBack } from './device-links.ts'

/** What links to other devices are made with. */
export interface DeviceLinkRoutesOptions {
  readonly runtime: Runtime
  readonly store: Store
  readonly sessions: Pick<Sessions, 'checkAccess'>
  readonly authenticate: Authenticator
  readonly isRevoked: IsTakenBack
  /** The header that gives a browser an identity. */
  readonly cookieOf: (principal: Principal, request: Request) => Promise<string>
  /** The bearer token by which a program is known, and the one that renews it. */
  readonly issueTokens: (principal: Principal) => Promise<object>
  /** Where the page is; where the request came to when left out. */
  readonly publicUrl?: string | undefined
  readonly body?: BodyLimits | undefined
}

type Params = Readonly<Record<string, string>>

const joinBody = z.strictObject({ code: z.string().min(1).max(500) })

/** One-time links by which a second device joins a session: makes them, and takes them. */
export function deviceLinkAnswers(options: DeviceLinkRoutesOptions) {
  const { runtime, sessions } = options
  const links = new DeviceLinks(options.store, runtime, options.isRevoked)
  const guesses = new GuessLimit({ clock: runtime.clock, name: 'device links', store: options.store })
  const json = (request: Request, caller?: Principal) =>
    readJson(request, { limits: options.body ?? bodyLimits, clock: runtime.clock, caller })

  const make = async (request: Request, { id: sessionId = '' }: Params): Promise<Response> => {
    const { principal, login } = (await askAuthenticator(options.authenticate, request)) ?? {}
    if (principal === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with the token of `POST /sessions`.')
    }
    const owner = await sessions.checkAccess(sessionId, principal)
    if (!z.strictObject({}).safeParse((await json(request, principal)) ?? {}).success) {
      throw new BeachError('BAD_REQUEST', '`POST /sessions/:id/links` takes no fields.')
    }
    if (owner.id !== principal.id || owner.kind !== principal.kind) {
      throw new BeachError('FORBIDDEN', 'Only the owner of a session can add another device.')
    }
    // A link of ours would outlive a credential that another party has issued, and could not be revoked there.
    if (principal.kind !== 'anonymous') {
      throw new BeachError(
        'FORBIDDEN',
        'You have signed in: do so on the other device too, and open the session there.',
      )
    }
    const { code, expiresAt } = await links.make(sessionId, principal, login)
    const page = options.publicUrl ?? new URL(request.url).origin
    const url = `${page.replace(/\/+$/, '')}/#join=${encodeURIComponent(code)}`
    return jsonResponse({ url, code, expiresAt, ...(isLoopback(page) && { isLoopback: true }) }, 201)
  }

  const join = async (request: Request): Promise<Response> => {
    // Joining changes the principal: a foreign page must not cause that in a browser, with a cookie or without.
    if (hasForeignOrigin(request, options.publicUrl))
      throw new BeachError('FORBIDDEN', 'Another site may not do this here.')
    const guess = await guesses.begin(remoteNetwork(request))
    const body = joinBody.safeParse(await json(request))
    if (!body.success) throw new BeachError('BAD_REQUEST', '`POST /join` takes the `code` of a link.')
    const joined = await links.use(body.data.code)
    if (joined === undefined) {
      throw new BeachError(
        'EXPIRED',
        'This link is not valid any more: each works once, within ten minutes, and ends with the login that made it. Make a new one on the first device.',
      )
    }
    await guess.wasRight()
    const { sessionId, principal } = joined
    // A page's identity is out of reach of its scripts.
    return !request.headers.has('origin')
      ? jsonResponse({ sessionId, ...(await options.issueTokens(principal)) })
      : jsonResponse({ sessionId }, 200, { 'set-cookie': await options.cookieOf(principal, request) })
  }

  return { make, join }
}
