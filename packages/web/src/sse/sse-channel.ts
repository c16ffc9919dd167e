import { takenBody } from '@cool-ai/beach-channel'
import {
  bodyLimits,
  errorResponse,
  jsonResponse,
  readJson,
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
  type Frame,
  type Originator,
  type PartTypeRegistry,
  type Principal,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import {
  askAuthenticator,
  frameBatch,
  type ChannelPreview,
  type FrameBatch,
  type PreviewItem,
  type TurnPreview,
} from '@cool-ai/beach-core/ports'
import { Hono } from 'hono'
import { z } from 'zod'
import { eventForm } from './encode.ts'

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
  const links = options.artifactLink && new SharedLinks(options.artifactLink)
  let app: Hono | undefined
  return {
    transport: 'sse',
    deliveryClass: 'streaming',
    paths: ['/sessions', '/sessions/*'],
    async start({ sessions, signal }) {
      app = sseRoutes(options, links, sessions, signal)
    },
    async fetch(request) {
      if (app === undefined) throw new BeachError('INTERNAL', 'The channel has not started yet.')
      return app.fetch(request)
    },
    preview: (turn) => preview(turn, links),
  }
}

function sseRoutes(
  options: SseChannelOptions,
  links: SharedLinks | undefined,
  sessions: Sessions,
  signal: AbortSignal,
): Hono {
  const { runtime, partTypes, body: limits = bodyLimits } = options
  const app = new Hono()
  const calls = new SessionCalls(sessions, partTypes)
  const streams = options.streams ?? new StreamCount()
  const heartbeats = new Heartbeats(runtime.clock, options.heartbeatMs ?? 15_000)
  const rateLimiter = options.rateLimiter ?? new ConversationRateLimiter(runtime.clock)
  const open = new Set<StreamWriter<FrameBatch>>()
  signal.addEventListener('abort', () => open.forEach((stream) => stream.end()), { once: true })

  const principalOf = async (request: Request) => (await askAuthenticator(options.authenticate, request))?.principal
  const callOf = async (request: Request, session: string): Promise<Call> => {
    const principal = await principalOf(request)
    if (principal === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with the token of `POST /sessions`.')
    }
    return { session, principal, from: originatorOf(session, principal) }
  }
  const json = (request: Request, caller: Principal) => readJson(request, { limits, clock: runtime.clock, caller })

  app.post('/sessions', async ({ req }) => {
    const principal = (await principalOf(req.raw)) ?? options.guest()
    rateLimiter.admit(principal, remoteNetwork(req.raw))
    if (!z.strictObject({}).safeParse((await json(req.raw, principal)) ?? {}).success) {
      throw new BeachError('BAD_REQUEST', '`POST /sessions` takes no fields.')
    }
    const sessionId = await sessions.open({ principal })
    // A caller with a credential of another kind keeps using it: a token of ours would outlive it.
    const token = principal.kind === 'anonymous' ? { token: await options.issueToken(principal) } : {}
    return jsonResponse({ sessionId, ...token }, 201)
  })

  app.post('/sessions/:id/messages', async ({ req }) => {
    const call = await callOf(req.raw, req.param('id'))
    const taken = await calls.send(call, () => json(req.raw, call.principal), req.header('idempotency-key'))
    return jsonResponse(takenBody(taken), taken.kind === 'decided' ? 200 : 202)
  })

  app.post('/sessions/:id/cancel', async ({ req }) => {
    const call = await callOf(req.raw, req.param('id'))
    return jsonResponse(await calls.cancel(call, await json(req.raw, call.principal)), 202)
  })

  app.post('/sessions/:id/approvals/:approvalId', async ({ req }) => {
    const call = await callOf(req.raw, req.param('id'))
    return jsonResponse(await calls.decide(call, req.param('approvalId'), await json(req.raw, call.principal)))
  })

  app.get('/sessions/:id', async ({ req }) => {
    const { session, principal } = await callOf(req.raw, req.param('id'))
    const { owner: _, ...view } = await sessions.view(session, principal)
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
      const watch = await sessions.watch(session, from, after, stream)
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

  return app
}

/** A follower of a session by server-sent events. */
function originatorOf(session: string, principal: Principal): Originator {
  return { id: `sse:${session}:${principal.id}`, transport: 'sse', deliveryClass: 'streaming', principal }
}

/** The events that a page gets of a turn, one by one; text has come in pieces before its part. */
async function preview(turn: TurnPreview, links: SharedLinks | undefined): Promise<ChannelPreview> {
  const { sessionId, owner } = turn
  const batch = frameBatch(turn.frames(originatorOf(sessionId, owner)))
  const linked = (await links?.add(batch, sessionId, owner)) ?? batch
  return { label: 'Browser', items: linked.map(previewItem) }
}

function previewItem(frame: Frame): PreviewItem {
  const { kind: event, cursor, ...data } = frame
  const title = frame.kind === 'part' ? frame.part.metadata.partType : event
  return { kind: 'json', title, value: { event, ...(cursor !== undefined && { id: cursor }), data } }
}

const routes = [
  ['/sessions', 'POST'],
  ['/sessions/:id/messages', 'POST'],
  ['/sessions/:id/cancel', 'POST'],
  ['/sessions/:id/approvals/:approvalId', 'POST'],
  ['/sessions/:id/events', 'GET'],
  ['/sessions/:id', 'GET'],
] as const
