import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { PROTOCOL_VERSION } from '@ag-ui/core'
import { inContext, started, type AgentContext, type InContext, type UpgradableChannel } from '@cool-ai/beach-channel'
import { StreamCount } from '@cool-ai/beach-channel/admission'
import {
  bodyLimits,
  checkOrigins,
  corsHeaders,
  errorResponse,
  foreignOrigin,
  jsonResponse,
  preflight,
  readJson,
  remoteNetwork,
  type BodyLimits,
} from '@cool-ai/beach-channel/http'
import { Heartbeats, isHardToGuess, until } from '@cool-ai/beach-channel/live'
import {
  FollowedTurns,
  ignoredRun,
  isOwnPage,
  Threads,
  type CancelOnDisconnect,
  type ThreadSession,
} from '@cool-ai/beach-channel/threads'
import { BeachError, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator, type ShownCalls } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import { capabilitiesOf } from './capabilities.ts'
import { checkClientTools, type ClientToolsOption } from './client-offer.ts'
import { Intake, type TakenRun } from './intake.ts'
import { runEvents, type RunningRun } from './run-events.ts'
import { checkId, parseRunInput } from './run-input.ts'
import { runResponse } from './run-response.ts'
import { SliceEndpoint, type SliceAccessPolicy } from './slice-endpoint.ts'
import { SliceSockets } from './slice-sockets.ts'
import { ThreadReader } from './thread-reader.ts'
import { turnAnswering, turnToStop, type TurnOf } from './turn-to-stop.ts'

/** How an agent is served by AG-UI; all of it may be left out. */
export interface AguiChannelOptions {
  /** Whether one may come without a credential; true when left out. */
  readonly guests?: boolean | undefined
  /** @deprecated Use `access.origins`, which holds for every channel. */
  readonly origins?: readonly string[] | undefined
  /**
   * What a client means that closes its connection in the middle of a turn, which is how AG-UI's clients stop: `true` stops the
   * turn at once, `false` never. When left out it is stopped after five seconds, unless the client comes back.
   */
  readonly cancelOnDisconnect?: CancelOnDisconnect | undefined
  /**
   * What clients are told of the tools that actors call: `names` (when left out), that a tool is called and has ended; `full`,
   * also its arguments and its result, which can have secrets in them; `off`, nothing.
   */
  readonly toolCalls?: ShownCalls | undefined
  /**
   * Whether actors may call the tools that clients offer with a run; they may when this is left out. `timeoutMs` is how long a
   * call waits for its client: an hour when left out.
   */
  readonly clientTools?: ClientToolsOption | undefined
  /** Clients send the whole conversation with each run, so this is larger than elsewhere when left out. */
  readonly body?: BodyLimits | undefined
}

type ServerOptions = InContext<AguiChannelOptions, AgentContext>

const path = '/agui'
const defaultBodyLimits: BodyLimits = { ...bodyLimits, bytes: 2 * 1024 * 1024 }
const defaultHeartbeatMs = 15_000
const emptyInput = { messages: [], tools: [], context: [], sent: [], protocolVersion: PROTOCOL_VERSION }
const nothing: ReadonlySet<string> = new Set()
/** A run that brings nothing, and shows whatever comes. */
const listening: TakenRun = {
  exists: true,
  awaits: nothing,
  turns: nothing,
  rests: false,
  notices: [],
  replies: { answers: {}, awaits: [], exists: true, stays: true, parts: [] },
}
const cancelBody = z.strictObject({ threadId: z.string() })

/** The way in for AG-UI's clients: a POST is a run, and its answer the run's events. It takes WebSockets to slices too. */
export function aguiChannel(options: AguiChannelOptions = {}): UpgradableChannel {
  checkOrigins(options.origins, 'agui.origins')
  checkClientTools(options.clientTools)
  let server: AguiServer | undefined
  return {
    transport: 'agui',
    deliveryClass: 'streaming',
    get paths() {
      return [path, `${path}/*`, ...(server?.endpoints ?? []).flatMap((endpoint) => endpoint.paths)]
    },
    openapi: async () => (await import('./agui-openapi.ts')).aguiOpenApi((server?.endpoints ?? []).map(({ ns }) => ns)),
    async start(context: AgentContext) {
      const origins = [...(context.origins ?? []), ...(options.origins ?? [])]
      server = new AguiServer({ ...inContext(options, context), origins })
    },
    fetch: async (request) => started(server).fetch(request),
    upgrade: (...asked) => started(server).upgrade(...asked),
  }
}

class AguiServer {
  readonly endpoints: readonly SliceEndpoint[]
  readonly #options: ServerOptions
  readonly #threads: Threads
  readonly #open: StreamCount
  readonly #heartbeats: Heartbeats
  readonly #reader: ThreadReader
  readonly #followed: FollowedTurns
  readonly #intake: Intake
  readonly #sockets: SliceSockets
  readonly #shown = new Map<string, number>()

  constructor(options: ServerOptions) {
    const { sessions, signal, runtime, handledNamespaces, heartbeatMs = defaultHeartbeatMs } = options
    this.#options = options
    this.#open = new StreamCount(options.maxOpen)
    this.#heartbeats = new Heartbeats(runtime.clock, heartbeatMs)
    this.#threads = new Threads({ ...options, transport: 'agui' })
    const shared: Pick<SliceAccessPolicy, 'enter' | 'find'> = {
      enter: (request, principal) => this.#enter(request, principal),
      find: (threadId, principal) => this.#threads.find(threadId, principal),
    }
    const policy: SliceAccessPolicy = {
      ...shared,
      sessions,
      principal: (request) => this.#principal(request),
      json: (request, principal) => this.#json(request, principal),
      isShown: (session) => this.#shown.has(session),
    }
    this.endpoints = handledNamespaces.map((ns) => new SliceEndpoint(ns, policy))
    this.#sockets = new SliceSockets(handledNamespaces, {
      ...options,
      ...shared,
      heartbeatMs,
      limits: options.body ?? defaultBodyLimits,
      follow: (place, threadId, ending) => this.#listen(place, threadId, ending),
    })
    signal.addEventListener('abort', () => this.#sockets.end(runtime.clock), { once: true })
    this.#reader = new ThreadReader(sessions)
    this.#followed = new FollowedTurns(options)
    this.#intake = new Intake(sessions, this.#reader, { ...options, onNews: (place) => this.#followed.moveOn(place) })
  }

  upgrade(request: Request, incoming: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const { handledNamespaces, origins, publicUrl, signal } = this.#options
    const ns = /^\/([^/]+)\/ws$/.exec(new URL(request.url).pathname)?.[1]
    if (ns === undefined || !handledNamespaces.includes(ns)) return false
    // Pages of other sites need no cookie to act as guests: they may as little as by POST.
    foreignOrigin(request, { origins, publicUrl, allowLocal: true })
    if (signal.aborted) throw new BeachError('STORE_UNAVAILABLE', 'The agent is shutting down. Connect again.')
    this.#sockets.take(ns, request, { incoming, socket, head })
    return true
  }

  /** A thread from now on, for a connected client. */
  #listen(place: ThreadSession, threadId: string, signal: AbortSignal): RunningRun {
    const { sessions, localLink, runtime, partTypes } = this.#options
    const reader = this.#reader
    const linkOf = localLink && ((id: string) => localLink(id, place.session, place.principal))
    const input = { ...emptyInput, threadId, runId: runtime.id('run') }
    const run = { ...listening, encodedUpTo: Number(reader.shownUpTo(place) ?? 0) }
    const onRead = () => this.#noteRead(place.session)
    return runEvents({ input, place, run, sessions, reader, partTypes, clock: runtime.clock, signal, linkOf, onRead })
  }

  /** A session whose run is read is known to be shown; the returned function ends that. */
  #noteRead(session: string): () => void {
    const shown = this.#shown
    shown.set(session, (shown.get(session) ?? 0) + 1)
    return () => {
      const left = (shown.get(session) ?? 1) - 1
      if (left > 0) shown.set(session, left)
      else shown.delete(session)
    }
  }

  async fetch(request: Request): Promise<Response> {
    const { runtime, origins, publicUrl } = this.#options
    let origin: string | undefined
    let response: Response
    try {
      origin = foreignOrigin(request, { origins, publicUrl, allowLocal: true })
      response = await this.#route(request, origin)
    } catch (error) {
      response = errorResponse(error, runtime)
    }
    for (const [name, value] of Object.entries(corsHeaders(origin))) response.headers.set(name, value)
    return response
  }

  #route(request: Request, origin: string | undefined): Promise<Response> | Response {
    const { pathname } = new URL(request.url)
    const handlers = this.#handlers(pathname.replace(/\/$/, ''))
    if (handlers === undefined) throw new BeachError('NOT_FOUND', `There is nothing at ${pathname}.`)
    if (request.method === 'OPTIONS') return preflight(request, origin)
    const handler = handlers[request.method]
    if (handler !== undefined) return handler(request)
    const allow = Object.keys(handlers).join(', ')
    const advice = pathname === path ? ' POST a RunAgentInput; `GET /agui/capabilities` says what to expect.' : ''
    throw new BeachError('METHOD_NOT_ALLOWED', `Use ${allow} here.${advice}`, { details: { allow } })
  }

  #handlers(pathname: string): Record<string, (request: Request) => Promise<Response> | Response> | undefined {
    switch (pathname) {
      case path:
        return { POST: (request) => this.#run(request) }
      case `${path}/cancel`:
        return { POST: (request) => this.#cancel(request) }
      case `${path}/capabilities`:
        return { GET: () => jsonResponse(capabilitiesOf(this.#options.agent, this.#options.clientTools !== false)) }
      default:
        return this.endpoints.map((endpoint) => endpoint.handlers(pathname)).find((handlers) => handlers !== undefined)
    }
  }

  async #run(request: Request): Promise<Response> {
    const { sessions, signal: ending, localLink, runtime, partTypes, origins, publicUrl } = this.#options
    const reader = this.#reader
    // The caller is authenticated first: no large body is read before that.
    const principal = await this.#principal(request)
    const exit = this.#enter(request, principal)
    const end = until(request.signal, ending)
    const leave = () => {
      exit()
      end.now()
    }
    try {
      const input = parseRunInput(await this.#json(request, principal))
      const { caller, cookie } = await this.#caller(request, principal, input.threadId)
      const place = await this.#threads.find(input.threadId, caller)
      const run = await this.#intake.take(input, place)
      const linkOf = localLink && ((id: string) => localLink(id, place.session, place.principal))
      const { clock } = runtime
      const onRead = () => this.#noteRead(place.session)
      const { signal } = end
      const running = runEvents({ input, place, run, sessions, reader, partTypes, clock, signal, linkOf, onRead })
      const followed = followsTurn(run) ? this.#followed.begin(place, { isBack: run.brings !== true }) : ignoredRun
      const onEnd = (hasLeft: boolean) => {
        leave()
        const left: TurnOf = (thread) => running.scope.turnId ?? turnAnswering(thread, run.awaits)
        if (hasLeft) followed.leave(() => turnToStop(reader, place, left, runtime.clock))
        else followed.end()
      }
      const cors = corsHeaders(foreignOrigin(request, { origins, publicUrl, allowLocal: true }))
      const headers = { ...cors, ...defined({ 'set-cookie': cookie }) }
      const { session } = place
      return runResponse(request, running, {
        headers,
        session,
        onEnd,
        heartbeats: this.#heartbeats,
        logger: runtime.logger,
      })
    } catch (error) {
      leave()
      throw error
    }
  }

  async #cancel(request: Request): Promise<Response> {
    const principal = await this.#principal(request)
    const leave = this.#enter(request, principal)
    try {
      const body = cancelBody.safeParse((await this.#json(request, principal)) ?? {})
      if (!body.success) throw new BeachError('BAD_REQUEST', '`POST /agui/cancel` takes the `threadId` of a thread.')
      checkId('threadId', body.data.threadId)
      const place = await this.#threads.find(body.data.threadId, principal)
      const cancelled = await this.#options.sessions.cancel(place.session, undefined, place.principal)
      return jsonResponse({ cancelled }, 202)
    } finally {
      leave()
    }
  }

  #json(request: Request, caller: Principal | undefined): Promise<unknown> {
    const { body: limits = defaultBodyLimits, runtime } = this.#options
    return readJson(request, { limits, clock: runtime.clock, caller })
  }

  async #principal(request: Request): Promise<Principal | undefined> {
    const principal = (await askAuthenticator(this.#options.authenticate, request))?.principal
    if (principal === undefined && this.#options.guests === false) {
      throw new BeachError('UNAUTHENTICATED', 'Authenticate: send `Authorization: Bearer` with a token.')
    }
    return principal
  }

  /** A guest of a page of ours whose thread has a name that could be guessed is told apart by a cookie from then on. */
  async #caller(
    request: Request,
    principal: Principal | undefined,
    threadId: string,
  ): Promise<{ readonly caller: Principal | undefined; readonly cookie?: string }> {
    if (principal !== undefined || isHardToGuess(threadId) || !isOwnPage(request)) return { caller: principal }
    const { guest, cookieOf } = this.#options
    const caller = guest()
    return { caller, cookie: await cookieOf(caller, request) }
  }

  /** Counts a run; guests have a principal for each thread, and are told apart by where they come from. */
  #enter(request: Request, principal: Principal | undefined): () => void {
    if (principal !== undefined) return this.#open.enterFrom(principal, remoteNetwork(request))
    const { tenant } = this.#options
    return this.#open.enter({ kind: 'anonymous', id: 'agui-guests', tenant }, remoteNetwork(request))
  }
}

/** True for a run whose end leaves a turn without its client. */
function followsTurn({ turns, awaits }: TakenRun): boolean {
  return turns.size + awaits.size > 0
}
