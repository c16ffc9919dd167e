import { takenBody } from '@cool-ai/beach-channel'
import {
  bodyLimits,
  errorResponse,
  jsonResponse,
  readCallersJson,
  remoteNetwork,
  type BodyLimits,
} from '@cool-ai/beach-channel/http'
import {
  eventResponse,
  Heartbeats,
  ConversationRateLimiter,
  SessionCalls,
  SharedLinks,
  StreamCount,
  StreamWriter,
  type ArtifactLink,
  type Call,
} from '@cool-ai/beach-channel/live'
import {
  BeachError,
  type Authenticator,
  type Channel,
  type PartTypeRegistry,
  type Principal,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import { askAuthenticator, type FrameBatch } from '@cool-ai/beach-core/ports'
import { Hono } from 'hono'
import { z } from 'zod'
import { eventForm } from './encode.ts'
import { sseOriginator } from './sse-originator.ts'
import { ssePreview } from './sse-preview.ts'

export interface SseChannelOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly authenticate: Authenticator
  /** A principal for a caller without a credential. */
  readonly guest: () => Principal
  /** The bearer token by which an anonymous principal is known later. */
  readonly issueToken: (principal: Principal) => Promise<string>
  /** A link to an artifact of a session, for viewers of that session. */
  readonly artifactLink?: ArtifactLink | undefined
  readonly body?: BodyLimits | undefined
  readonly heartbeatMs?: number | undefined
  /** Counts the streams that principals have open; give the same to channels that are to count together. */
  readonly streams?: StreamCount | undefined
  /** Counts what callers begin; give the same to channels that are to count together. */
  readonly rateLimiter?: ConversationRateLimiter | undefined
}

/** The browser's and every program's way in: sessions and messages by POST, answers as server-sent events. */
export function sseChannel(options: SseChannelOptions): Channel {
  const { runtime, partTypes, artifactLink } = options
  const app = new Hono()
  const streams = options.streams ?? new StreamCount()
  const heartbeats = new Heartbeats(runtime.clock, options.heartbeatMs ?? 15_000)
  const links = artifactLink && new SharedLinks(artifactLink)
  const open = new Set<StreamWriter<FrameBatch>>()
  const rateLimiter = options.rateLimiter ?? new ConversationRateLimiter(runtime.clock)
  let started: { readonly sessions: Sessions; readonly calls: SessionCalls } | undefined

  const running = () => {
    if (started === undefined) throw new BeachError('INTERNAL', 'The channel has not started yet.')
    return started
  }
  const principalOf = async (request: Request) => (await askAuthenticator(options.authenticate, request))?.principal
  const callOf = async (request: Request, session: string): Promise<Call> => {
    const principal = await principalOf(request)
    if (principal === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with the token of `POST /sessions`.')
    }
    return { session, principal, from: sseOriginator(session, principal) }
  }
  const json = (request: Request, principal: Principal) =>
    readCallersJson(request, principal, { limits: options.body ?? bodyLimits, clock: runtime.clock })

  app.post('/sessions', async ({ req }) => {
    const principal = (await principalOf(req.raw)) ?? options.guest()
    rateLimiter.admit(principal, remoteNetwork(req.raw))
    if (!z.strictObject({}).safeParse((await json(req.raw, principal)) ?? {}).success) {
      throw new BeachError('BAD_REQUEST', '`POST /sessions` takes no fields.')
    }
    const sessionId = await running().sessions.open({ principal })
    // A caller with a credential of another kind keeps using it: a token of ours would outlive it.
    const token = principal.kind === 'anonymous' ? { token: await options.issueToken(principal) } : {}
    return jsonResponse({ sessionId, ...token }, 201)
  })

  app.post('/sessions/:id/messages', async ({ req }) => {
    const call = await callOf(req.raw, req.param('id'))
    const taken = await running().calls.send(call, () => json(req.raw, call.principal), req.header('idempotency-key'))
    return jsonResponse(takenBody(taken), taken.kind === 'decided' ? 200 : 202)
  })

  app.post('/sessions/:id/cancel', async ({ req }) => {
    const call = await callOf(req.raw, req.param('id'))
    return jsonResponse(await running().calls.cancel(call, await json(req.raw, call.principal)), 202)
  })

  app.post('/sessions/:id/approvals/:approvalId', async ({ req }) => {
    const call = await callOf(req.raw, req.param('id'))
    return jsonResponse(
      await running().calls.decide(call, req.param('approvalId'), await json(req.raw, call.principal)),
    )
  })

  app.get('/sessions/:id', async ({ req }) => {
    const { session, principal } = await callOf(req.raw, req.param('id'))
    const { owner: _, ...view } = await running().sessions.view(session, principal)
    return jsonResponse(view)
  })

  app.get('/sessions/:id/events', async ({ req }) => {
    // Hono answers HEAD by GET and leaves the body unread.
    if (req.method === 'HEAD')
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET' } })
    const { session, principal, from } = await callOf(req.raw, req.param('id'))
    const leave = streams.enterFrom(principal, remoteNetwork(req.raw))
    const stream: StreamWriter<FrameBatch> = new StreamWriter({
      form: eventForm,
      heartbeats,
      prepare: links && ((batch) => links.add(batch, session, principal)),
      onEnd: () => {
        open.delete(stream)
        leave()
      },
    })
    try {
      // A browser cannot set the header when it first connects, and sends it by itself when it comes again.
      const after = req.header('last-event-id') ?? req.query('after')
      const watch = await running().sessions.watch(session, from, after, stream)
      open.add(stream)
      return eventResponse(req.raw, stream, watch, { isUnframed: true })
    } catch (error) {
      leave()
      throw error
    }
  })

  for (const [path, method] of routes) {
    app.all(path, () => {
      throw new BeachError('METHOD_NOT_ALLOWED', `Use ${method} here.`, { details: { allow: method } })
    })
  }
  app.notFound(({ req }) =>
    errorResponse(new BeachError('NOT_FOUND', `There is nothing at ${req.path}.`), runtime.logger),
  )
  app.onError((error) => errorResponse(error, runtime.logger))

  return {
    transport: 'sse',
    deliveryClass: 'streaming',
    paths: ['/sessions', '/sessions/*'],
    async start({ sessions, signal }) {
      started = { sessions, calls: new SessionCalls(sessions, partTypes) }
      signal.addEventListener('abort', () => open.forEach((stream) => stream.end()), { once: true })
    },
    fetch: async (request) => app.fetch(request),
    preview: ssePreview(links),
  }
}

const routes = [
  ['/sessions', 'POST'],
  ['/sessions/:id/messages', 'POST'],
  ['/sessions/:id/cancel', 'POST'],
  ['/sessions/:id/approvals/:approvalId', 'POST'],
  ['/sessions/:id/events', 'GET'],
  ['/sessions/:id', 'GET'],
] as const
