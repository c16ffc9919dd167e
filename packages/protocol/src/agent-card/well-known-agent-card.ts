import type { AgentCard } from '@a2a-js/sdk'
import { BeachError } from '@cool-ai/beach-core'
import { answerCard, type AnswerCard, type WellKnownAgentCardOptions } from './card-answer.ts'

// The frameworks by what is used of them, so that none of them is a dependency.

/** A request of Express, Connect or Node itself. */
interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The address before routers took their part of it. */
  readonly originalUrl?: string
  readonly headers: { readonly 'if-none-match'?: string | undefined }
}

interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body?: string): unknown
}

interface HonoContext {
  readonly req: { readonly raw: Request }
}

interface FastifyRequest {
  readonly method: string
  readonly headers: { readonly 'if-none-match'?: string | undefined }
}

interface FastifyReply {
  code(status: number): FastifyReply
  headers(values: Record<string, string>): FastifyReply
  send(body?: unknown): FastifyReply
}

type FastifyHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

interface FastifyInstance {
  all(path: string, options: { onRequest: FastifyHandler }, handler: FastifyHandler): unknown
}

/** Serves an Agent Card, called in the way of whichever framework it was given to. */
export interface WellKnownAgentCard {
  /** Hono: `app.use(…)`. */
  (context: HonoContext, next: () => Promise<void>): Promise<Response | void>
  /** Express: `app.use(…)`. */
  (request: NodeRequest, response: NodeResponse, next: () => void): void
  /** Fastify: `app.register(…)`. */
  (instance: FastifyInstance, options: object, done: () => void): void
  /** Web-standard: the answer, or undefined when something else was asked for. */
  (request: Request): Response | undefined
}

const wellKnownPath = '/.well-known/agent-card.json'

/** Serves a card at its well-known path: a Web-standard handler, Express or Hono middleware, and a Fastify plugin. */
export function wellKnownAgentCard(card: AgentCard, options: WellKnownAgentCardOptions = {}): WellKnownAgentCard {
  const { path = wellKnownPath } = options
  if (!path.startsWith('/')) throw new BeachError('INVALID_CONFIGURATION', "The path of a card must start with '/'.")
  const route: Route = { path, answer: answerCard(card, options) }
  return ((first: HonoContext | NodeRequest | FastifyInstance | Request, ...rest: [never, never]) => {
    if (isWebRequest(first)) return answerWeb(route, first)
    if ('all' in first) return registerFastify(route, first, rest[1])
    if ('req' in first) return answerHono(route, first, rest[0])
    return answerNode(route, first, ...rest)
  }) as WellKnownAgentCard
}

// Not `instanceof`: servers bring Request classes of their own.
function isWebRequest(first: object): first is Request {
  return 'headers' in first && typeof (first.headers as Partial<Headers>).get === 'function'
}

interface Route {
  readonly path: string
  readonly answer: AnswerCard
}

function answerWeb({ path, answer }: Route, { url, method, headers }: Request): Response | undefined {
  if (new URL(url).pathname !== path) return undefined
  const { body, ...init } = answer(method, headers.get('if-none-match'))
  return new Response(body, init)
}

async function answerHono(route: Route, context: HonoContext, next: () => Promise<void>): Promise<Response | void> {
  return answerWeb(route, context.req.raw) ?? (await next())
}

function answerNode({ path, answer }: Route, request: NodeRequest, response: NodeResponse, next: () => void): void {
  const { method = 'GET', url, originalUrl, headers } = request
  // Whether it was mounted at the root, at the path itself or, with its own well-known path, under an agent's folder.
  if (pathOf(url) !== path && pathOf(originalUrl) !== path) {
    next()
    return
  }
  const { status, body, headers: answered } = answer(method, headers['if-none-match'])
  response.writeHead(status, { ...answered })
  response.end(body ?? undefined)
}

function pathOf(url: string | undefined): string | undefined {
  return url?.split('?', 1)[0]
}

// Answered before Fastify reads a body, which it might refuse for reasons of its own.
function registerFastify({ path, answer }: Route, instance: FastifyInstance, done: () => void): void {
  const handler: FastifyHandler = async ({ method, headers }, reply) => {
    const { status, body, headers: answered } = answer(method, headers['if-none-match'])
    return reply
      .code(status)
      .headers({ ...answered })
      .send(body ?? undefined)
  }
  instance.all(path, { onRequest: handler }, handler)
  done()
}
