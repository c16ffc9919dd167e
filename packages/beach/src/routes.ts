import { errorResponse, GuessLimit, jsonResponse } from '@cool-ai/beach-channel/http'
import { BeachError, type Channel, type Runtime } from '@cool-ai/beach-core'
import { Hono } from 'hono'
import { guard, type Site } from './guard.ts'
import type { Identity } from './identity.ts'
import type { Readiness } from './readiness.ts'
import { answerSecretPath } from './secret-paths.ts'

/** Answers requests to some paths. */
export type Handler = Pick<Channel, 'paths' | 'secretPaths' | 'fetch'>

export interface RoutesOptions extends Site {
  readonly agent: { readonly id: string }
  /** The page at a path, if there is one. */
  readonly page?: (path: string) => Response | undefined
  readonly identity: Identity
  readonly readiness: Pick<Readiness, 'answer'>
  readonly runtime: Runtime
  /** Refuses, by throwing, what is not answered now. */
  readonly refuse?: ((url: URL) => void) | undefined
}

/** Gives each request to the first handler whose path fits, and what is left to the page. */
export function routes(handlers: readonly Handler[], options: RoutesOptions): (request: Request) => Promise<Response> {
  const { identity, runtime } = options
  const app = new Hono()
  app.get('/healthz', () => jsonResponse({ status: 'ok', agent: options.agent.id }))
  app.get('/readyz', () => options.readiness.answer())
  for (const path of ['/healthz', '/readyz']) {
    app.all(path, () => {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET' } })
    })
  }
  const secrets = { guesses: new GuessLimit(runtime.clock), publicUrl: options.publicUrl }
  for (const handler of handlers) {
    for (const path of handler.paths ?? []) {
      if (handler.secretPaths?.includes(path) === true) {
        app.all(path, ({ req }) => answerSecretPath(req.raw, handler, secrets))
        continue
      }
      app.all(path, ({ req }) => handler.fetch?.(req.raw) ?? new Response(null, { status: 404 }))
    }
  }
  app.get('*', async ({ req }) => {
    const page = options.page?.(req.path)
    if (page === undefined) throw new BeachError('NOT_FOUND', `There is nothing at ${req.path}.`)
    const isHtml = page.headers.get('content-type')?.startsWith('text/html')
    const cookie = isHtml ? await identity.pageCookie(req.raw) : undefined
    if (cookie !== undefined) page.headers.append('set-cookie', cookie)
    return page
  })
  app.notFound(({ req }) =>
    errorResponse(new BeachError('NOT_FOUND', `There is nothing at ${req.path}.`), runtime.logger),
  )
  const failed = (error: unknown) => errorResponse(error, runtime.logger)
  app.onError(failed)
  const exact = exactRoutes(handlers)
  return async (request: Request): Promise<Response> => {
    // Not as a middleware of Hono, which would make every request pass through a chain of promises.
    try {
      const url = new URL(request.url)
      guard(request, url, options)
      options.refuse?.(url)
      const direct = request.method === 'HEAD' ? undefined : exact.get(url.pathname)
      if (direct?.fetch !== undefined) return await direct.fetch(request)
    } catch (error) {
      return request.method === 'HEAD' ? new Response(null, failed(error)) : failed(error)
    }
    return app.fetch(request)
  }
}

/**
 * Paths that name one place only need no router; among them are those that agents call all day. Not where a pattern stands
 * before them: the first that fits answers.
 */
function exactRoutes(handlers: readonly Handler[]): ReadonlyMap<string, Handler> {
  const exact = new Map<string, Handler>()
  const patterned = new Set(['healthz', 'readyz'])
  const isPattern = (path: string) => /[:*]/.test(path)
  for (const handler of handlers) {
    for (const path of handler.paths ?? []) {
      const first = path.split('/')[1] ?? ''
      if (isPattern(first)) return exact
      if (isPattern(path)) patterned.add(first)
      else if (!patterned.has(first) && !exact.has(path)) exact.set(path, handler)
    }
  }
  return exact
}
