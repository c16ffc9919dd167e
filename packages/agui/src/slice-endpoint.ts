import { jsonResponse } from '@cool-ai/beach-channel/http'
import { BeachError, type Principal, type Sessions } from '@cool-ai/beach-core'
import * as z from 'zod'
import { checkId } from './run-input.ts'
import type { ThreadSession } from '@cool-ai/beach-channel/threads'

/** What the endpoint needs of the channel that it belongs to. */
export interface SliceAccessPolicy {
  readonly sessions: Sessions
  readonly principal: (request: Request) => Promise<Principal | undefined>
  readonly enter: (request: Request, principal: Principal | undefined) => () => void
  readonly json: (request: Request, principal: Principal | undefined) => Promise<unknown>
  readonly find: (threadId: string, principal: Principal | undefined) => Promise<ThreadSession>
  readonly isShown: (session: string) => boolean
}

const looked = z.looseObject({ instance: z.looseObject({ seq: z.int() }).optional() })

type Handlers = Readonly<Record<string, (request: Request) => Promise<Response>>>

/** The way to a slice besides runs: what is said to it begins no run, and what comes of it goes to those that are open. */
export class SliceEndpoint {
  readonly ns: string
  readonly #access: SliceAccessPolicy

  constructor(ns: string, access: SliceAccessPolicy) {
    this.ns = ns
    this.#access = access
  }

  get paths(): readonly string[] {
    return [`/${this.ns}/events`, `/${this.ns}/instances/:id`, `/${this.ns}/ws`]
  }

  /** What can be done at a path; undefined when it is not one of the endpoint's. */
  handlers(pathname: string): Handlers | undefined {
    if (pathname === `/${this.ns}/events`) return { POST: (request) => this.#say(request) }
    if (pathname === `/${this.ns}/ws`) return { GET: async () => Promise.reject(upgradeRequired()) }
    const id = new RegExp(`^/${this.ns}/instances/([^/]+)$`).exec(pathname)?.[1]
    return id === undefined ? undefined : { GET: (request) => this.#look(request, decoded(id)) }
  }

  async #say(request: Request): Promise<Response> {
    const { session, answer } = await this.#answer(request, async (principal) => {
      const body = await this.#access.json(request, principal)
      if (isBody(body)) return body
      const message = `\`POST /${this.ns}/events\` takes a \`threadId\`, and what is to be said.`
      throw new BeachError('BAD_REQUEST', message)
    })
    const reply = typeof answer === 'object' && answer !== null ? answer : {}
    return jsonResponse({ ...reply, runOpen: this.#access.isShown(session) }, statusIn(reply))
  }

  async #look(request: Request, id: string): Promise<Response> {
    const { answer } = await this.#answer(request, async () => {
      const threadId = new URL(request.url).searchParams.get('threadId')
      if (threadId === null) throw new BeachError('BAD_REQUEST', 'Name the thread, as `?threadId=`.')
      return { threadId, look: { instanceId: id } }
    })
    const { instance } = looked.safeParse(answer).data ?? {}
    if (instance === undefined) throw new BeachError('NOT_FOUND', 'There is no such instance, or it is over.')
    const etag = `"${instance.seq}"`
    const headers = { etag, 'cache-control': 'private, no-cache' }
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
    const response = jsonResponse(instance)
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
    return response
  }

  /** What the slice answers to what a request says. The caller is authenticated before that is read. */
  async #answer(request: Request, read: (principal: Principal | undefined) => Promise<{ readonly threadId: string }>) {
    const principal = await this.#access.principal(request)
    const leave = this.#access.enter(request, principal)
    try {
      const { threadId, ...said } = await read(principal)
      checkId('threadId', threadId)
      const { session, principal: by } = await this.#access.find(threadId, principal)
      const { answer } = await this.#access.sessions.handle(session, this.ns, said, by, {})
      return { session, answer }
    } finally {
      leave()
    }
  }
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    throw new BeachError('BAD_REQUEST', 'The id in the path is not encoded as URLs are.')
  }
}

function upgradeRequired(): BeachError {
  return new BeachError('UPGRADE_REQUIRED', 'This is a WebSocket: connect to it as one.')
}

// By hand: such a request comes with every click.
function isBody(body: unknown): body is { readonly threadId: string } {
  return typeof body === 'object' && body !== null && 'threadId' in body && typeof body.threadId === 'string'
}

/** The status that the slice gives to a refusal; otherwise what was said is taken. */
function statusIn(answer: object): number {
  const status = 'status' in answer ? Number(answer.status) : 0
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : 202
}
