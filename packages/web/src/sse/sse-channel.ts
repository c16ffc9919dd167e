import { started, takenBody, type AgentContext } from '@cool-ai/beach-channel'
import { bodyLimits, jsonResponse, readJson, remoteNetwork } from '@cool-ai/beach-channel/http'
import {
  eventResponse,
  Heartbeats,
  SessionCalls,
  SharedLinks,
  StreamWriter,
  type Call,
} from '@cool-ai/beach-channel/live'
import { BeachError, type Channel, type Frame, type Originator, type Principal, type Route } from '@cool-ai/beach-core'
import {
  askAuthenticator,
  frameBatch,
  type ChannelPreview,
  type FrameBatch,
  type PreviewItem,
  type TurnPreview,
} from '@cool-ai/beach-core/ports'
import { z } from 'zod'
import { pathOnly } from '../path-only.ts'
import { eventForm } from './encode.ts'

/** The channel of browsers and programs: sessions and messages by POST, answers as server-sent events. */
export function sseChannel(): Channel {
  let server: SseServer | undefined
  return {
    transport: 'sse',
    deliveryClass: 'streaming',
    async start(context: AgentContext) {
      server = new SseServer(context)
    },
    get routes() {
      return started(server).routes
    },
    preview: async (turn) => started(server).preview(turn),
    openapi: async () => (await import('../openapi/web-openapi.ts')).webOpenApi('sse'),
  }
}

class SseServer {
  readonly #context: AgentContext
  readonly #calls: SessionCalls
  readonly #heartbeats: Heartbeats
  readonly #links: SharedLinks | undefined
  readonly #open = new Set<StreamWriter<FrameBatch>>()

  constructor(context: AgentContext) {
    const { sessions, partTypes, runtime, heartbeatMs = 15_000, localLink, signal } = context
    this.#context = context
    this.#calls = new SessionCalls(sessions, partTypes)
    this.#heartbeats = new Heartbeats(runtime.clock, heartbeatMs)
    this.#links = localLink && new SharedLinks(pathOnly(localLink))
    signal.addEventListener('abort', () => this.#open.forEach((stream) => stream.end()), { once: true })
  }

  /** The events that a page gets of a turn, one by one; text has come in pieces before its part. */
  async preview(turn: TurnPreview): Promise<ChannelPreview> {
    const { sessionId, owner } = turn
    const batch = frameBatch(turn.frames(originatorOf(sessionId, owner)))
    const linked = (await this.#links?.add(batch, sessionId, owner)) ?? batch
    return { label: 'Browser', items: linked.map(previewItem) }
  }

  get routes(): readonly Route[] {
    return [
      { method: 'POST', path: '/sessions', answer: (request) => this.#begin(request) },
      { method: 'POST', path: '/sessions/:id/messages', answer: (request, { id = '' }) => this.#send(request, id) },
      { method: 'POST', path: '/sessions/:id/cancel', answer: (request, { id = '' }) => this.#cancel(request, id) },
      {
        method: 'POST',
        path: '/sessions/:id/approvals/:approvalId',
        answer: (request, { id = '', approvalId = '' }) => this.#decide(request, id, approvalId),
      },
      {
        method: 'DELETE',
        path: '/sessions/:id/allowances/:approvalId',
        answer: (request, { id = '', approvalId = '' }) => this.#revoke(request, id, approvalId),
      },
      { method: 'GET', path: '/sessions/:id/events', answer: (request, { id = '' }) => this.#stream(request, id) },
      { method: 'GET', path: '/sessions/:id', answer: (request, { id = '' }) => this.#view(request, id) },
    ]
  }

  async #begin(request: Request): Promise<Response> {
    const { sessions, guest, issueTokens } = this.#context
    const known = await askAuthenticator(this.#context.authenticate, request)
    const principal = known?.principal ?? guest()
    if (!z.strictObject({}).safeParse((await this.#json(request, principal)) ?? {}).success) {
      throw new BeachError('BAD_REQUEST', '`POST /sessions` takes no fields.')
    }
    const sessionId = await sessions.open({ principal })
    // A caller with a credential keeps using it: a token of ours would outlive it, and a cookie is out of reach of scripts.
    if (known === undefined) return jsonResponse({ sessionId, ...(await issueTokens(principal)) }, 201)
    const token = known.credential.type === 'agent-token' ? bearerOf(request) : undefined
    return jsonResponse({ sessionId, ...(token !== undefined && { token }) }, 201)
  }

  async #send(request: Request, session: string): Promise<Response> {
    const call = await this.#call(request, session)
    const key = request.headers.get('idempotency-key') ?? undefined
    const taken = await this.#calls.send(call, () => this.#json(request, call.principal), key)
    return jsonResponse(takenBody(taken), taken.kind === 'decided' ? 200 : 202)
  }

  async #cancel(request: Request, session: string): Promise<Response> {
    const call = await this.#call(request, session)
    return jsonResponse(await this.#calls.cancel(call, await this.#json(request, call.principal)), 202)
  }

  async #decide(request: Request, session: string, approvalId: string): Promise<Response> {
    const call = await this.#call(request, session)
    return jsonResponse(await this.#calls.decide(call, approvalId, await this.#json(request, call.principal)))
  }

  async #revoke(request: Request, session: string, approvalId: string): Promise<Response> {
    const { principal } = await this.#call(request, session)
    if (await this.#context.sessions.revoke(session, approvalId, principal)) return jsonResponse({ status: 'revoked' })
    throw new BeachError('NOT_FOUND', 'There is no such allowance in this session, or it is not yours to revoke.')
  }

  async #view(request: Request, id: string): Promise<Response> {
    const { session, principal } = await this.#call(request, id)
    const { owner: _, ...view } = await this.#context.sessions.view(session, principal)
    return jsonResponse(view)
  }

  async #stream(request: Request, id: string): Promise<Response> {
    // A router answers HEAD by GET and leaves the body unread.
    if (request.method === 'HEAD') {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET' } })
    }
    const { session, principal, from } = await this.#call(request, id)
    const { sessions, streams } = this.#context
    const links = this.#links
    const leave = streams.enterFrom(principal, remoteNetwork(request))
    const stream: StreamWriter<FrameBatch> = new StreamWriter({
      form: eventForm,
      heartbeats: this.#heartbeats,
      prepare: links && ((batch) => links.add(batch, session, principal)),
      onEnd: () => {
        this.#open.delete(stream)
        leave()
      },
    })
    try {
      // A browser cannot set the header when it first connects, and sends it by itself when it reconnects.
      const after = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? undefined
      const watch = await sessions.watch(session, from, after, stream)
      this.#open.add(stream)
      return eventResponse(request, stream, watch, { isUnframed: true })
    } catch (error) {
      leave()
      throw error
    }
  }

  async #call(request: Request, session: string): Promise<Call> {
    const principal = (await askAuthenticator(this.#context.authenticate, request))?.principal
    if (principal === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with the token of `POST /sessions`.')
    }
    return { session, principal, from: originatorOf(session, principal) }
  }

  #json(request: Request, caller: Principal): Promise<unknown> {
    const { body: limits = bodyLimits, runtime } = this.#context
    return readJson(request, { limits, clock: runtime.clock, caller })
  }
}

/** A follower of a session by server-sent events. */
function originatorOf(session: string, principal: Principal): Originator {
  return { id: `sse:${session}:${principal.id}`, transport: 'sse', deliveryClass: 'streaming', principal }
}

/** The token that an earlier session has given its caller is good for this one too. */
function bearerOf(request: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}

function previewItem(frame: Frame): PreviewItem {
  const { kind: event, cursor, ...data } = frame
  const title = frame.kind === 'part' ? frame.part.metadata.partType : event
  return { kind: 'json', title, value: { event, id: cursor, data } }
}
