import { errorResponse, readJson } from '@cool-ai/beach-channel/http'
import { plainPage } from '@cool-ai/beach-channel/pages'
import { BeachError } from '@cool-ai/beach-core'
import type { EventDraft } from '@cool-ai/beach-core/log'
import type { Authentication, NotedError } from '@cool-ai/beach-core/ports'
import type { OpenApiPart } from '@cool-ai/beach-core/openapi'
import { z } from 'zod'
import { OperatorAccess } from './access/operator-access.ts'
import { parsed } from './answers/session-routes.ts'
import { ErrorRecord } from './errors/error-record.ts'
import { Follower } from './listing/follower.ts'
import { SessionIndex } from './listing/session-index.ts'
import { Metrics } from './metrics/metrics.ts'
import { operatorApi, operatorRoutes } from './operator-api.ts'
import type { InspectOptions, InspectorParts } from './options.ts'

/** The inspector of a running agent. */
export interface Inspector {
  readonly paths: readonly string[]
  fetch(request: Request): Promise<Response>
  /** Its routes in the agent's OpenAPI document. */
  openapi(): Promise<OpenApiPart>
  /** To be called when a session's log may have changed, with the events that were appended. */
  readonly noticed: (session: string, events?: readonly EventDraft[]) => void
  /** To be called with each error that a caller is told of. */
  readonly noteError: (error: NotedError) => void
  /** The operator whose token of `inspect.operators` a request has. */
  known(request: Request): Authentication | undefined
  /** A link for the person who starts the agent on this machine, good for one use; undefined where there is none. */
  link(url: string): string | undefined
  start(): void
  stop(): Promise<void>
}

const signInSchema = z.object({ token: z.string().min(1).max(1_000) }).strict()

/** Opens the inspector of an agent: its page at `/inspect/`, and the operator API behind it. */
export function openInspector(options: InspectOptions, parts: InspectorParts): Inspector {
  const { store, runtime } = parts
  const access = new OperatorAccess(options, parts)
  const index = new SessionIndex(store, runtime.clock)
  const metrics = new Metrics(store, runtime)
  const errors = new ErrorRecord(store, runtime, parts)
  const follower = new Follower({ store, runtime, index, metrics })
  const routes = operatorRoutes({
    ...parts,
    errors,
    index,
    follower,
    metrics,
    models: options.models ?? [],
  })
  const api = operatorApi(routes, access)
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const path = pathname.slice('/inspect/'.length)
    if (pathname === '/inspect') return new Response(null, { status: 308, headers: { location: 'inspect/' } })
    if (path.startsWith('api/')) return api(request, path.slice('api/'.length))
    if (path === 'session') return session(request, access)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET' } })
    }
    if (/^(traces\/[0-9a-f]{32}|errors\/err_[a-z0-9]{1,60})$/.test(path)) {
      // Relative, since a proxy may have the agent below a path. What it shows is asked for by the page.
      return new Response(null, { status: 303, headers: { location: `../#/${path}` } })
    }
    const exchanged = path === '' ? await exchange(request, access) : undefined
    const signIn = exchanged === undefined && path === '' ? await access.signInUrl(request) : undefined
    if (signIn !== undefined) return new Response(null, { status: 303, headers: { location: signIn } })
    return exchanged ?? page(request, path, parts)
  }
  return {
    paths: ['/inspect', '/inspect/*'],
    openapi: async () => (await import('./inspect-openapi.ts')).inspectOpenApi(routes),
    noticed: follower.noticed,
    known: (request) => access.byToken(request),
    link: (url) => access.link(url),
    start: () => follower.start(),
    noteError: errors.noted,
    async stop() {
      await follower.stop()
      await errors.flush()
    },
    async fetch(request) {
      try {
        return await answer(request)
      } catch (error) {
        return errorResponse(error, runtime)
      }
    },
  }
}

/** Signing in by a token, and out again. */
async function session(request: Request, access: OperatorAccess): Promise<Response> {
  if (!request.headers.has('x-beach-inspect')) throw new BeachError('FORBIDDEN', 'Another site may not do this here.')
  if (request.method === 'DELETE') return access.signOut(request)
  if (request.method === 'POST') return access.signIn(request, parsed(signInSchema, await readJson(request)).token)
  throw new BeachError('METHOD_NOT_ALLOWED', 'Use POST or DELETE here.', { details: { allow: 'POST, DELETE' } })
}

async function exchange(request: Request, access: OperatorAccess): Promise<Response | undefined> {
  try {
    return await access.exchange(request)
  } catch (error) {
    if (!(error instanceof BeachError)) throw error
    const body = `<p>${error.message}</p>`
    return plainPage({ status: error.status, from: 'Inspector', title: 'This link does not open the inspector', body })
  }
}

/** The page itself says nothing of the agent: what it shows comes from the API. */
async function page(request: Request, path: string, { serveFile }: InspectorParts): Promise<Response> {
  const { pageFiles } = await import('#page-files')
  const name = path === '' ? '/index.html' : `/${path}`
  const content = (await pageFiles()).get(name)
  if (content === undefined || path === 'index.html')
    throw new BeachError('NOT_FOUND', 'The inspector is at /inspect/.')
  return serveFile(request, name, content)
}
