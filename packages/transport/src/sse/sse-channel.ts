import {
  BeachError,
  type Authenticator,
  type Channel,
  type Decided,
  type ErrorCode,
  type Originator,
  type PartTypeRegistry,
  type Principal,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import { parsePart } from '@cool-ai/beach-protocol'
import { Hono } from 'hono'
import { z } from 'zod'
import { actorsOnly } from '../actors-only.ts'
import { bodyLimits, readJson, type BodyLimits } from '../http/json-body.ts'
import { errorResponse, jsonResponse } from '../http/responses.ts'
import { eventStream } from './event-stream.ts'
import { parseMessage } from './message-body.ts'
import { withLinks } from './with-links.ts'

export interface SseChannelOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly authenticate: Authenticator
  /** A principal for somebody who comes without a credential. */
  readonly guest: () => Principal
  /** The bearer token by which an anonymous principal is known later. */
  readonly issueToken: (principal: Principal) => string
  /** A link to an artifact of a session, for those who may see that session. */
  readonly artifactLink?: (artifactId: string, session: string, principal: Principal) => Promise<string | undefined>
  readonly body?: BodyLimits
  readonly heartbeatMs?: number
  /** Streams that one principal may have open. */
  readonly mostStreams?: number
}

const cancelBody = z.strictObject({ turnId: z.string().max(100).optional() })
const decisionBody = z.strictObject({
  decision: z.enum(['granted', 'denied']),
  reason: z.string().max(2_000).optional(),
})
const undecided: Readonly<Partial<Record<Decided, [ErrorCode, string]>>> = {
  already: ['ALREADY_DECIDED', 'This approval has already been decided, or its turn is over.'],
  expired: ['EXPIRED', 'This approval has expired; it counts as denied.'],
  notFound: ['NOT_FOUND', 'There is no such approval, or it is not yours to decide.'],
}
const idempotencyKey = /^[\x21-\x7e]{1,200}$/

/** The browser's and every program's way in: sessions and messages by POST, answers as server-sent events. */
export function sseChannel(options: SseChannelOptions): Channel {
  const app = new Hono()
  const streams = new StreamCount(options.mostStreams ?? 200)
  let sessions: Sessions | undefined
  let ending: AbortSignal | undefined

  const started = (): Sessions => {
    if (sessions === undefined) throw new BeachError('INTERNAL', 'The channel has not started yet.')
    return sessions
  }
  const caller = async (request: Request): Promise<Principal> => {
    const principal = await options.authenticate(request)
    if (principal === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with the token of `POST /sessions`.')
    }
    return principal
  }
  const json = (request: Request) => readJson(request, options.body ?? bodyLimits)

  app.post('/sessions', async ({ req }) => {
    const principal = (await options.authenticate(req.raw)) ?? options.guest()
    if (!z.strictObject({}).safeParse((await json(req.raw)) ?? {}).success) refuse('`POST /sessions` takes no fields.')
    const sessionId = await started().open({ principal })
    // Whoever has a credential of another kind goes on with that: a token of ours would outlive it.
    const token = principal.kind === 'anonymous' ? { token: options.issueToken(principal) } : {}
    return jsonResponse({ sessionId, ...token }, 201)
  })

  app.post('/sessions/:id/messages', async ({ req }) => {
    const principal = await caller(req.raw)
    const session = req.param('id')
    await started().view(session, principal)
    const parts = parseMessage(await json(req.raw)).map((part) =>
      part.metadata.partType === 'message' ? part : inbound(part, options.partTypes),
    )
    const dedupeKey = req.header('idempotency-key')
    if (dedupeKey !== undefined && !idempotencyKey.test(dedupeKey)) {
      refuse('`Idempotency-Key` takes 1 to 200 visible ASCII characters.')
    }
    const from = originator(session, principal)
    const message = { parts, from, ...(dedupeKey !== undefined && { dedupeKey: `http:${dedupeKey}` }) }
    const posted = await started().post(session, message, principal)
    return jsonResponse(posted, 202)
  })

  app.post('/sessions/:id/cancel', async ({ req }) => {
    const principal = await caller(req.raw)
    const body = cancelBody.safeParse((await json(req.raw)) ?? {})
    if (!body.success) return refuse('`POST /sessions/:id/cancel` takes an optional `turnId`.')
    const cancelled = await started().cancel(req.param('id'), body.data.turnId, principal)
    return jsonResponse({ cancelled }, 202)
  })

  app.post('/sessions/:id/approvals/:approvalId', async ({ req }) => {
    const principal = await caller(req.raw)
    const body = decisionBody.safeParse(await json(req.raw))
    if (!body.success) return refuse('An approval takes `decision`, "granted" or "denied", and an optional `reason`.')
    const { decision, reason } = body.data
    const session = req.param('id')
    const said = { decision, ...(reason !== undefined && { reason }) }
    const decided = await started().decide(req.param('approvalId'), said, principal, session)
    const problem = undecided[decided]
    if (problem !== undefined) throw new BeachError(...problem)
    return jsonResponse({ status: decided })
  })

  app.get('/sessions/:id', async ({ req }) => {
    const { owner: _, ...view } = await started().view(req.param('id'), await caller(req.raw))
    return jsonResponse(view)
  })

  app.get('/sessions/:id/events', async ({ req }) => {
    // Hono answers HEAD by GET and lets the body lie: a stream that nobody reads.
    if (req.method === 'HEAD')
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET' } })
    const principal = await caller(req.raw)
    const session = req.param('id')
    await started().view(session, principal)
    const leave = streams.enter(principal)
    const end = new AbortController()
    const signal = AbortSignal.any([end.signal, req.raw.signal, ...(ending ? [ending] : [])])
    const after = req.header('last-event-id')
    const followed = started().follow(session, originator(session, principal), after, signal)[Symbol.asyncIterator]()
    const { artifactLink } = options
    const frames = artifactLink ? withLinks(followed, (id) => artifactLink(id, session, principal)) : followed
    const onEnd = () => {
      leave()
      end.abort()
    }
    const { clock } = options.runtime
    const body = eventStream(frames, {
      clock,
      heartbeatMs: options.heartbeatMs ?? 15_000,
      onEnd,
    })
    return new Response(body, {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
      },
    })
  })

  for (const [path, method] of routes) {
    app.all(path, () => {
      throw new BeachError('METHOD_NOT_ALLOWED', `Use ${method} here.`, { details: { allow: method } })
    })
  }
  app.notFound(({ req }) =>
    errorResponse(new BeachError('NOT_FOUND', `There is nothing at ${req.path}.`), options.runtime.logger),
  )
  app.onError((error) => errorResponse(error, options.runtime.logger))

  return {
    transport: 'sse',
    deliveryClass: 'streaming',
    paths: ['/sessions', '/sessions/*'],
    async start(port, signal) {
      sessions = port
      ending = signal
    },
    fetch: async (request) => app.fetch(request),
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

function refuse(message: string): never {
  throw new BeachError('BAD_REQUEST', message)
}

/** What people may not send: what only actors say, and what has a door of its own. */
const refused: ReadonlySet<string> = new Set([...actorsOnly, 'approval-response', 'setState'])

/** A part from outside must be of a registered type that people may send. */
function inbound(part: Parameters<typeof parsePart>[0], partTypes: PartTypeRegistry) {
  const parsed = parsePart(part, partTypes)
  const { partType } = parsed.metadata
  if (refused.has(partType)) {
    throw new BeachError('INVALID_PART', `A part of type '${partType}' does not come in as a message.`)
  }
  return parsed
}

function originator(session: string, principal: Principal): Originator {
  return { id: `sse:${session}:${principal.id}`, transport: 'sse', deliveryClass: 'streaming', principal }
}

/** Counts open streams per principal, so that one caller cannot take them all. */
class StreamCount {
  readonly #most: number
  readonly #open = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  enter({ tenant, kind, id }: Principal): () => void {
    const key = JSON.stringify([tenant, kind, id])
    const count = this.#open.get(key) ?? 0
    if (count >= this.#most) {
      throw new BeachError('TOO_MANY', `You have ${count} streams open; close some first.`)
    }
    this.#open.set(key, count + 1)
    return () => {
      const left = (this.#open.get(key) ?? 1) - 1
      if (left > 0) this.#open.set(key, left)
      else this.#open.delete(key)
    }
  }
}
