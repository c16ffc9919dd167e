import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { EventType, PROTOCOL_VERSION, type Event } from '@ag-ui/core'
import {
  bodyLimits,
  errorResponse,
  jsonResponse,
  readJson,
  remoteNetwork,
  type BodyLimits,
} from '@cool-ai/beach-channel/http'
import { ConversationRateLimiter, Heartbeats, StreamCount, textEvents, until } from '@cool-ai/beach-channel/live'
import {
  BeachError,
  isBeachError,
  type Authenticator,
  type Channel,
  type PartTypeRegistry,
  type Principal,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import { isStoreFailure } from '@cool-ai/beach-core/runtime'
import type { Secret } from '@cool-ai/beach-core/tokens'
import * as z from 'zod'
import { capabilitiesOf, type AguiAbout } from './capabilities.ts'
import { Intake, type TakenRun } from './intake.ts'
import { corsHeaders, foreignOrigin, preflight } from './origins.ts'
import { runEvents, type RunningRun } from './run-events.ts'
import { checkId, parseRunInput } from './run-input.ts'
import { SliceEndpoint, type SliceAccessPolicy } from './slice-endpoint.ts'
import { SliceSockets } from './slice-sockets.ts'
import { ThreadReader } from './thread-reader.ts'
import { Threads, type ThreadSession } from './threads.ts'

export interface AguiChannelOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly agent: AguiAbout
  readonly authenticate: Authenticator
  /** Whom a guest's thread belongs to follows from its name and this. */
  readonly secret: Secret
  readonly tenant: string
  /** Whether one may come without a credential; true when left out. */
  readonly guests?: boolean | undefined
  /** Origins of other sites whose pages may call. */
  readonly origins?: readonly string[] | undefined
  /** Whether a client that closes its connection means that the agent shall stop; it goes on when this is left out. */
  readonly cancelOnDisconnect?: boolean | undefined
  /** A link to an artifact of a session, for viewers of that session. */
  readonly artifactLink?:
    | ((artifactId: string, session: string, principal: Principal) => Promise<string | undefined>)
    | undefined
  /** Clients send the whole conversation with each run, so this is larger than elsewhere when left out. */
  readonly body?: BodyLimits | undefined
  readonly heartbeatMs?: number | undefined
  /** Runs that one principal may have open, and all guests of one address together; 200 when left out. */
  readonly maxStreams?: number | undefined
  /** Counts what callers begin; give the same to channels that are to count together. */
  readonly rateLimiter?: ConversationRateLimiter | undefined
  /** The namespaces of slices that clients may speak to beside runs, at `/<ns>/events` and `/<ns>/ws`. */
  readonly handledNamespaces?: readonly string[] | undefined
  /** Where the agent's page is. */
  readonly publicUrl?: string | undefined
}

/** The channel of AG-UI, which also takes WebSockets to slices. */
export interface AguiChannel extends Channel {
  /** Takes over a connection that is to be upgraded, if it is for a slice; false when it is not. */
  upgrade(request: Request, incoming: IncomingMessage, socket: Duplex, head: Buffer): boolean
}

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

/** The way in for AG-UI's clients: a POST is a run, and its answer the run's events. */
export function aguiChannel(options: AguiChannelOptions): AguiChannel {
  const server = new AguiServer(options)
  return {
    transport: 'agui',
    deliveryClass: 'streaming',
    paths: [path, `${path}/*`, ...server.endpoints.flatMap((door) => door.paths)],
    async start({ sessions, signal }) {
      server.start(sessions, signal)
    },
    fetch: (request) => server.fetch(request),
    upgrade: (...asked) => server.upgrade(...asked),
  }
}

interface Started {
  readonly sessions: Sessions
  readonly ending: AbortSignal
  readonly reader: ThreadReader
  readonly intake: Intake
  readonly sockets: SliceSockets
}

class AguiServer {
  readonly #options: AguiChannelOptions
  readonly #threads: Threads
  readonly #open: StreamCount
  readonly #heartbeats: Heartbeats
  readonly endpoints: readonly SliceEndpoint[]
  readonly #shown = new Map<string, number>()
  #started: Started | undefined

  constructor(options: AguiChannelOptions) {
    this.#options = options
    this.#open = new StreamCount(options.maxStreams ?? 200)
    this.#heartbeats = new Heartbeats(options.runtime.clock, options.heartbeatMs ?? defaultHeartbeatMs)
    const rateLimiter = options.rateLimiter ?? new ConversationRateLimiter(options.runtime.clock)
    this.#threads = new Threads({
      ...options,
      sessions: () => this.#running().sessions,
      admit: (principal, network) => rateLimiter.admit(principal, network),
    })
    const desk: SliceAccessPolicy = {
      sessions: () => this.#running().sessions,
      principal: (request) => this.#principal(request),
      enter: (request, principal) => this.#enter(request, principal),
      json: (request, principal) => this.#json(request, principal),
      find: (threadId, principal, request) => this.#threads.find(threadId, principal, request),
      isShown: (session) => this.#shown.has(session),
    }
    this.endpoints = (options.handledNamespaces ?? []).map((ns) => new SliceEndpoint(ns, desk))
  }

  start(sessions: Sessions, ending: AbortSignal): void {
    const reader = new ThreadReader(sessions)
    const {
      handledNamespaces = [],
      heartbeatMs = defaultHeartbeatMs,
      body = defaultBodyLimits,
      runtime,
    } = this.#options
    const sockets = new SliceSockets(handledNamespaces, {
      ...this.#options,
      sessions,
      heartbeatMs,
      limits: body,
      find: (threadId, principal, request) => this.#threads.find(threadId, principal, request),
      enter: (request, principal) => this.#enter(request, principal),
      follow: (place, threadId, signal) => this.#listen(place, threadId, signal),
    })
    ending.addEventListener('abort', () => sockets.end(runtime.clock), { once: true })
    const intake = new Intake(sessions, reader, this.#options)
    this.#started = { sessions, ending, reader, intake, sockets }
  }

  upgrade(request: Request, incoming: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const ns = /^\/([^/]+)\/ws$/.exec(new URL(request.url).pathname)?.[1]
    if (ns === undefined || this.#options.handledNamespaces?.includes(ns) !== true) return false
    // Pages of other sites need no cookie to act as guests: they may as little as by POST.
    foreignOrigin(request, this.#options.origins)
    const { sockets, ending } = this.#running()
    if (ending.aborted) throw new BeachError('STORE_UNAVAILABLE', 'The agent is shutting down. Connect again.')
    sockets.take(ns, request, { incoming, socket, head })
    return true
  }

  /** A thread from now on, for a connected client. */
  #listen(place: ThreadSession, threadId: string, signal: AbortSignal): RunningRun {
    const { sessions, reader } = this.#running()
    const { artifactLink, runtime, partTypes } = this.#options
    const linkOf = artifactLink && ((id: string) => artifactLink(id, place.session, place.principal))
    const input = { ...emptyInput, threadId, runId: runtime.id('run') }
    const view = { input, place, run: listening, sessions, reader, partTypes, clock: runtime.clock, signal }
    return this.#counted(place, runEvents({ ...view, ...(linkOf && { linkOf }) }))
  }

  /** A run that is known to be shown until it has been read to its end. */
  #counted({ session }: ThreadSession, running: RunningRun): RunningRun {
    const shown = this.#shown
    async function* counted() {
      shown.set(session, (shown.get(session) ?? 0) + 1)
      try {
        yield* running.events
      } finally {
        const left = (shown.get(session) ?? 1) - 1
        if (left > 0) shown.set(session, left)
        else shown.delete(session)
      }
    }
    return { ...running, events: counted() }
  }

  async fetch(request: Request): Promise<Response> {
    const { runtime, origins } = this.#options
    let origin: string | undefined
    let response: Response
    try {
      origin = foreignOrigin(request, origins)
      response = await this.#route(request, origin)
    } catch (error) {
      response = errorResponse(error, runtime.logger)
    }
    for (const [name, value] of Object.entries(corsHeaders(origin))) response.headers.set(name, value)
    return response
  }

  #route(request: Request, origin: string | undefined): Promise<Response> | Response {
    const { pathname } = new URL(request.url)
    const handlers = this.#handlers(pathname.replace(/\/$/, ''))
    if (handlers === undefined) throw new BeachError('NOT_FOUND', `There is nothing at ${pathname}.`)
    if (request.method === 'OPTIONS') return preflight(origin)
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
        return { GET: () => jsonResponse(capabilitiesOf(this.#options.agent)) }
      default:
        return this.endpoints.map((door) => door.handlers(pathname)).find((handlers) => handlers !== undefined)
    }
  }

  async #run(request: Request): Promise<Response> {
    const { sessions, ending, reader, intake } = this.#running()
    const { artifactLink, runtime, partTypes } = this.#options
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
      const place = await this.#threads.find(input.threadId, principal, request)
      const run = await intake.take(input, place)
      const linkOf = artifactLink && ((id: string) => artifactLink(id, place.session, place.principal))
      const view = { input, place, run, sessions, reader, partTypes, clock: runtime.clock, signal: end.signal }
      const running = this.#counted(place, runEvents({ ...view, ...(linkOf && { linkOf }) }))
      return this.#stream(request, running, { place, leave })
    } catch (error) {
      leave()
      throw error
    }
  }

  #stream(
    request: Request,
    { events, encoder, scope }: ReturnType<typeof runEvents>,
    { place, leave }: { readonly place: ThreadSession; readonly leave: () => void },
  ): Response {
    const { runtime, origins, cancelOnDisconnect = false } = this.#options
    let isFinished = false
    const written = lines(events, (event) => {
      isFinished ||= event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR
    })
    const onError = (error: unknown) => {
      isFinished = true
      runtime.logger.log('error', 'a run failed', { session: place.session, error })
      return this.#failure(error, encoder.fail.bind(encoder))
    }
    const onEnd = () => {
      leave()
      if (cancelOnDisconnect && !isFinished && !this.#running().ending.aborted) this.#stop(place, scope.turnId)
    }
    const headers = corsHeaders(foreignOrigin(request, origins))
    return textEvents(request, written, { heartbeats: this.#heartbeats, onError, onEnd, headers })
  }

  /** The last event of a run that fails on our side: without a word of its insides. */
  #failure(error: unknown, fail: (message: string, code: string) => Event[]): string {
    const isOurs = isStoreFailure(error) || (isBeachError(error) && error.status < 500)
    const last = fail(
      isOurs ? error.message : 'Something went wrong on our side. Run again with the same runId to go on.',
      isOurs ? error.code : 'INTERNAL',
    )
    return last.map((event) => JSON.stringify(event)).join('\n\ndata: ')
  }

  #stop({ session, principal }: ThreadSession, turnId: string | undefined): void {
    const { sessions } = this.#running()
    if (turnId === undefined) return
    sessions.cancel(session, turnId, principal).catch((error: unknown) => {
      this.#options.runtime.logger.log('error', 'a run could not be cancelled', { session, error })
    })
  }

  async #cancel(request: Request): Promise<Response> {
    const principal = await this.#principal(request)
    const leave = this.#enter(request, principal)
    try {
      const body = cancelBody.safeParse((await this.#json(request, principal)) ?? {})
      if (!body.success) throw new BeachError('BAD_REQUEST', '`POST /agui/cancel` takes the `threadId` of a thread.')
      checkId('threadId', body.data.threadId)
      const place = await this.#threads.find(body.data.threadId, principal)
      const cancelled = await this.#running().sessions.cancel(place.session, undefined, place.principal)
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
      throw new BeachError('UNAUTHENTICATED', 'Bring a credential: send `Authorization: Bearer` with a token.')
    }
    return principal
  }

  /** Counts a run; guests have a principal for each thread, and are told apart by where they come from. */
  #enter(request: Request, principal: Principal | undefined): () => void {
    if (principal !== undefined) return this.#open.enterFrom(principal, remoteNetwork(request))
    const { tenant } = this.#options
    return this.#open.enter({ kind: 'anonymous', id: 'agui-guests', tenant }, remoteNetwork(request))
  }

  #running(): Started {
    if (this.#started === undefined) throw new BeachError('INTERNAL', 'The channel has not started yet.')
    return this.#started
  }
}

async function* lines(
  events: AsyncGenerator<Event, void, undefined>,
  onEvent: (event: Event) => void,
): AsyncGenerator<string, void, undefined> {
  for await (const event of events) {
    onEvent(event)
    yield JSON.stringify(event)
  }
}
