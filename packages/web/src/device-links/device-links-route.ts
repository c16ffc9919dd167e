import {
  bodyLimits,
  errorResponse,
  GuessLimit,
  hasForeignOrigin,
  jsonResponse,
  readJson,
  remoteNetwork,
  type BodyLimits,
} from '@cool-ai/beach-channel/http'
import {
  BeachError,
  type Authenticator,
  type Channel,
  type Principal,
  type Runtime,
  type Sessions,
  type Store,
} from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import { Hono } from 'hono'
import { z } from 'zod'
import { DeviceLinks } from './device-links.ts'

export interface DeviceLinksRouteOptions {
  readonly runtime: Runtime
  readonly store: Store
  readonly sessions: Pick<Sessions, 'checkAccess'>
  readonly authenticate: Authenticator
  /** The header that gives a browser an identity. */
  readonly cookieOf: (principal: Principal, request: Request) => Promise<string>
  /** The bearer token by which a program is known. */
  readonly issueToken: (principal: Principal) => Promise<string>
  /** Where the page is; where the request came to when left out. */
  readonly publicUrl?: string | undefined
  readonly body?: BodyLimits | undefined
}

const linksPath = '/sessions/:id/links'
const joinPath = '/join'
const joinBody = z.strictObject({ code: z.string().min(1).max(500) })

/** One-time links by which a second device joins a session: makes them, and takes them. */
export function deviceLinksRoute(options: DeviceLinksRouteOptions): Pick<Channel, 'paths' | 'fetch'> {
  const { runtime, sessions } = options
  const links = new DeviceLinks(options.store, runtime)
  const guesses = new GuessLimit(runtime.clock)
  const json = (request: Request, caller?: Principal) =>
    readJson(request, { limits: options.body ?? bodyLimits, clock: runtime.clock, caller })
  const app = new Hono()

  app.post(linksPath, async ({ req }) => {
    const principal = (await askAuthenticator(options.authenticate, req.raw))?.principal
    if (principal === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with the token of `POST /sessions`.')
    }
    const sessionId = req.param('id')
    const owner = await sessions.checkAccess(sessionId, principal)
    if (!z.strictObject({}).safeParse((await json(req.raw, principal)) ?? {}).success) {
      throw new BeachError('BAD_REQUEST', '`POST /sessions/:id/links` takes no fields.')
    }
    if (owner.id !== principal.id || owner.kind !== principal.kind) {
      throw new BeachError('FORBIDDEN', 'Only the owner of a session can let another device in.')
    }
    // A link of ours would outlive what another party has issued, and could not be taken back there.
    if (principal.kind !== 'anonymous') {
      throw new BeachError(
        'FORBIDDEN',
        'You have signed in: do so on the other device too, and open the session there.',
      )
    }
    const { code, expiresAt } = await links.make(sessionId, principal)
    const page = options.publicUrl ?? new URL(req.url).origin
    return jsonResponse({ url: `${page.replace(/\/+$/, '')}/#join=${encodeURIComponent(code)}`, code, expiresAt }, 201)
  })

  app.post(joinPath, async ({ req }) => {
    // Joining changes the principal: no other page may cause that in a browser, with a cookie or without.
    if (hasForeignOrigin(req.raw, options.publicUrl))
      throw new BeachError('FORBIDDEN', 'Another site may not do this here.')
    const guess = guesses.begin(remoteNetwork(req.raw))
    const body = joinBody.safeParse(await json(req.raw))
    if (!body.success) throw new BeachError('BAD_REQUEST', '`POST /join` takes the `code` of a link.')
    const joined = await links.use(body.data.code)
    if (joined === undefined) {
      throw new BeachError(
        'EXPIRED',
        'This link is not valid any more: each is good once, for ten minutes. Make a new one on the first device.',
      )
    }
    guess.wasRight()
    const { sessionId, principal } = joined
    // A page's identity is out of reach of its scripts.
    return req.header('origin') === undefined
      ? jsonResponse({ sessionId, token: await options.issueToken(principal) })
      : jsonResponse({ sessionId }, 200, { 'set-cookie': await options.cookieOf(principal, req.raw) })
  })

  for (const path of [linksPath, joinPath]) {
    app.all(path, () => {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use POST here.', { details: { allow: 'POST' } })
    })
  }
  app.onError((error) => errorResponse(error, runtime.logger))

  return { paths: [linksPath, joinPath], fetch: async (request) => app.fetch(request) }
}
