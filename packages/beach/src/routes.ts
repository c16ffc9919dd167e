import type { Admission } from '@cool-ai/beach-channel/admission'
import {
  errorResponse,
  GuessLimit,
  isPreflight,
  jsonResponse,
  listedHeaders,
  noteRequest,
  notesOf,
  preflight,
  refusedOrigin,
  withCors,
  withErrorId,
} from '@cool-ai/beach-channel/http'
import { BeachError, type Channel, type Runtime, type Store } from '@cool-ai/beach-core'
import type { Audit } from '@cool-ai/beach-core/ports'
import type { Context } from 'hono'
import { HonoBase } from 'hono/hono-base'
import { TrieRouter } from 'hono/router/trie-router'
import { guard, refuseUnlisted, type Site } from './guard.ts'
import type { Identity } from './identity/identity.ts'
import type { Readiness } from './readiness.ts'
import { answerSecretPath } from './secret-paths.ts'
import type { Stopping } from './stopping.ts'

/** Answers requests to some paths. */
export type Handler = Pick<Channel, 'routes' | 'paths' | 'secretPaths' | 'fetch' | 'openapi'>

/** The page at a path, if there is one. `staticFiles` of `@cool-ai/beach-web/static` serves the files of one. */
export type PageHandler = (path: string, request: Request) => Response | undefined | Promise<Response | undefined>

export interface RoutesOptions extends Site {
  readonly agent: { readonly id: string }
  /** The page at a path, if there is one. */
  readonly page?: PageHandler | undefined
  /** Where a browser signs in before it gets a page; undefined for one that has, and where guests are let in. */
  readonly signIn?: ((request: Request, to: string) => Promise<string | undefined>) | undefined
  readonly identity: Identity
  /** The step that every request passes. */
  readonly admission: Pick<Admission, 'enter'>
  readonly readiness: Pick<Readiness, 'answer'>
  readonly runtime: Runtime
  /** Where guesses at links are counted; in this process when left out. */
  readonly store?: Pick<Store, 'countUses'> | undefined
  /** Puts refusals on record. */
  readonly audit?: Audit | undefined
  /** Refuses what is not answered now. */
  readonly stopping?: Pick<Stopping, 'refuse'> | undefined
}

/** Hands each request to the first handler whose path fits, and the rest to the page. */
export function routes(handlers: readonly Handler[], options: RoutesOptions): (request: Request) => Promise<Response> {
  const { agent, readiness, identity, runtime } = options
  const app = new HonoBase({ router: new TrieRouter() })
  const failed = (error: unknown) => errorResponse(error, runtime)
  const health: Handler = {
    routes: [
      { method: 'GET', path: '/healthz', answer: async () => jsonResponse({ status: 'ok', agent: agent.id }) },
      { method: 'GET', path: '/readyz', answer: () => readiness.answer() },
    ],
  }
  const { requests } = runtime
  type Answer = (context: Context) => Promise<Response>
  /** Reports name the path as it is registered here. */
  const noted = (path: string, answer: Answer): Answer => {
    if (requests === undefined) return answer
    const isOfSession = path.startsWith('/sessions/:id')
    return (context) => {
      requests.routed(path, isOfSession ? context.req.param('id') : undefined)
      return answer(context)
    }
  }
  const secrets = {
    guesses: new GuessLimit({ clock: runtime.clock, name: 'links', store: options.store }),
    publicUrl: options.publicUrl,
  }
  for (const handler of [health, ...handlers]) {
    const add = (method: string, path: string, answer: (context: Context) => Promise<Response>) => {
      if (handler.secretPaths?.includes(path) !== true) return app.on(method, path, noted(path, answer))
      // A path that contains a secret gets further checks.
      const secret = (context: Context) =>
        answerSecretPath(context.req.raw, () => answer(context).catch(failed), secrets)
      return app.on(method, path, noted(path, secret))
    }
    const methods = new Map<string, string[]>()
    for (const { method, path, answer } of handler.routes ?? []) {
      methods.set(path, [...(methods.get(path) ?? []), method])
      add(method, path, async ({ req }) => {
        if (req.raw.headers.has('origin')) refuseUnlisted(req.raw, options)
        return answer(req.raw, req.param())
      })
    }
    for (const [path, allowed] of methods) add('ALL', path, () => refuse(allowed))
    for (const path of handler.paths ?? []) {
      add('ALL', path, async ({ req }) => (await handler.fetch?.(req.raw)) ?? nothing())
    }
  }
  app.get('*', async ({ req }) => {
    const page = await options.page?.(req.path, req.raw)
    if (page === undefined) throw new BeachError('NOT_FOUND', `There is nothing at ${req.path}.`)
    const isHtml = page.headers.get('content-type')?.startsWith('text/html')
    const signIn = isHtml ? await options.signIn?.(req.raw, pathOf(req.url)) : undefined
    if (signIn !== undefined) return new Response(null, { status: 303, headers: { location: signIn } })
    for (const cookie of isHtml ? await identity.pageCookies(req.raw) : []) page.headers.append('set-cookie', cookie)
    return page
  })
  app.notFound(({ req }) => failed(new BeachError('NOT_FOUND', `There is nothing at ${req.path}.`)))
  app.onError(failed)
  /** Callers without any credential are no news, unless they try what is for operators. */
  const noteRefusal = (request: Request, { pathname }: URL, status: number): void => {
    const { audit } = options
    const isOfOperators = /^\/(?:inspect\/api|operator|metrics)(?:\/|$)/.test(pathname)
    if (audit === undefined || (status === 401 && !isOfOperators && !request.headers.has('authorization'))) return
    // Later pieces of a path may be ids and secrets.
    const place = pathname
      .split('/')
      .slice(0, isOfOperators ? 4 : 2)
      .join('/')
    const by = notesOf(request).caller ?? 'unknown'
    audit
      .record({ by, kind: 'refused', what: `http.${status}`, detail: `${request.method} ${place}` })
      .catch((error: unknown) => runtime.logger.log('warn', 'a refusal could not be put on record', { error }))
  }
  return reported(requests, async (request) => {
    // Not as a middleware of Hono, which would make every request pass through a chain of promises.
    const answered = async (): Promise<Response> => {
      let response: Response
      try {
        const url = new URL(request.url)
        const page = guard(request, url, options)
        if (page !== undefined) noteRequest(request, { answerHeaders: listedHeaders(page) })
        if (page !== undefined && isPreflight(request)) return preflight(request, page)
        options.stopping?.refuse(url)
        const entered = await options.admission.enter(request, url.pathname, () => app.fetch(request))
        const { cookies } = notesOf(request)
        response = entered.status < 400 ? entered : withErrorId(entered, runtime)
        if (cookies !== undefined) response = withCookies(response, cookies)
        if (response.status === 401 || response.status === 403) noteRefusal(request, url, response.status)
      } catch (error) {
        return request.method === 'HEAD' ? new Response(null, failed(error)) : failed(error)
      }
      // A channel may know further pages that may ask.
      const isAllowed = request.method !== 'OPTIONS' || response.headers.has('access-control-allow-origin')
      return !isAllowed && isPreflight(request) ? failed(refusedOrigin(request.headers.get('origin') ?? '')) : response
    }
    return options.origins?.length ? forPages(request, answered) : answered()
  })
}

/** With the cookies that were renewed on the way; answers that are written elsewhere, or have some of them, stay as they are. */
function withCookies(response: Response, cookies: readonly string[]): Response {
  const set = new Set(response.headers.getSetCookie().map(nameOf))
  const missing = cookies.filter((cookie) => !set.has(nameOf(cookie)))
  if (missing.length === 0) return response
  const headers = new Headers(response.headers)
  for (const cookie of missing) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}

function nameOf(cookie: string): string {
  return cookie.slice(0, cookie.indexOf('='))
}

/** Lets listed pages read the answer; caches keep it apart from that to others. */
async function forPages(request: Request, answered: () => Promise<Response>): Promise<Response> {
  const response = await answered()
  return withCors(response, notesOf(request).answerHeaders ?? { vary: 'origin' })
}

/** With a report on each request, where reports are read. */
function reported(reports: Runtime['requests'], answer: (request: Request) => Promise<Response>): typeof answer {
  return reports === undefined ? answer : (request) => reports.request(request, () => answer(request))
}

async function refuse(allowed: readonly string[]): Promise<Response> {
  const allow = allowed.join(', ')
  throw new BeachError('METHOD_NOT_ALLOWED', `Use ${allow} here.`, { details: { allow } })
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

function nothing(): Response {
  return new Response(null, { status: 404 })
}
