import { inContext, started, type AgentContext, type InContext } from '@cool-ai/beach-channel'
import { StreamCount } from '@cool-ai/beach-channel/admission'
import { bodyLimits, jsonResponse, readJson, remoteNetwork, type BodyLimits } from '@cool-ai/beach-channel/http'
import { Heartbeats, isHardToGuess, textEvents, until } from '@cool-ai/beach-channel/live'
import {
  FollowedTurns,
  isOwnPage,
  Threads,
  type CancelOnDisconnect,
  type ThreadSession,
} from '@cool-ai/beach-channel/threads'
import { BeachError, isBeachError, type Channel, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator, type ShownCalls } from '@cool-ai/beach-core/ports'
import { defined, ifFound, isStoreFailure } from '@cool-ai/beach-core/runtime'
import { aiSdkPreview } from './ai-sdk-preview.ts'
import { parseChatRequest } from './chat-request.ts'
import { chatChunks } from './chat-stream.ts'
import { takeChat, type TakenChat } from './take-chat.ts'
import type { UiChunk } from './ui-message.ts'
import { uiHistory } from './ui-history.ts'

/** How an agent is served to pages of the AI SDK; all of it may be left out. */
export interface AiSdkChannelOptions {
  /** Whether one may come without a credential; true when left out. */
  readonly guests?: boolean | undefined
  /**
   * What a page means that closes its connection in the middle of a turn, which is how `stop()` of `useChat` works: `true`
   * stops the turn at once, `false` never. When left out it is stopped after five seconds, unless the page comes back.
   */
  readonly cancelOnDisconnect?: CancelOnDisconnect | undefined
  /**
   * What pages are told of the tools that actors call: `names` (when left out), that a tool is called and has ended; `full`,
   * also its arguments and its result, which can have secrets in them; `off`, nothing.
   */
  readonly toolCalls?: ShownCalls | undefined
  /** Pages send the whole conversation with each message, so this is larger than elsewhere when left out. */
  readonly body?: BodyLimits | undefined
}

type ServerOptions = InContext<AiSdkChannelOptions, AgentContext>

const path = '/chat'
const defaultBodyLimits: BodyLimits = { ...bodyLimits, bytes: 2 * 1024 * 1024 }
const defaultHeartbeatMs = 15_000
const streamHeaders = { 'x-vercel-ai-ui-message-stream': 'v1' }

/** The way in for `useChat` of the AI SDK: a POST brings what is new, and its answer is a UI message stream. */
export function aiSdkChannel(options: AiSdkChannelOptions = {}): Channel {
  let server: ChatServer | undefined
  return {
    transport: 'ai-sdk',
    deliveryClass: 'streaming',
    routes: [
      { method: 'POST', path, answer: (request) => started(server).chat(request) },
      { method: 'GET', path: `${path}/:id`, answer: (request, { id = '' }) => started(server).history(request, id) },
      {
        method: 'GET',
        path: `${path}/:id/stream`,
        answer: (request, { id = '' }) => started(server).resume(request, id),
      },
      { method: 'POST', path: `${path}/:id/stop`, answer: (request, { id = '' }) => started(server).stop(request, id) },
    ],
    openapi: async () => (await import('./ai-sdk-openapi.ts')).aiSdkOpenApi(),
    preview: (turn) => aiSdkPreview(turn, options.toolCalls),
    async start(context: AgentContext) {
      server = new ChatServer(inContext(options, context))
    },
  }
}

class ChatServer {
  readonly #options: ServerOptions
  readonly #threads: Threads
  readonly #open: StreamCount
  readonly #heartbeats: Heartbeats
  readonly #followed: FollowedTurns

  constructor(options: ServerOptions) {
    const { runtime, heartbeatMs = defaultHeartbeatMs } = options
    this.#options = options
    this.#open = new StreamCount(options.maxOpen)
    this.#heartbeats = new Heartbeats(runtime.clock, heartbeatMs)
    this.#threads = new Threads({ ...options, transport: 'ai-sdk', field: 'id' })
    this.#followed = new FollowedTurns(options)
  }

  async chat(request: Request): Promise<Response> {
    const { body: limits = defaultBodyLimits, runtime } = this.#options
    // The caller is authenticated first: no large body is read before that.
    const principal = await this.#principal(request)
    const leave = this.#enter(request, principal)
    try {
      const chat = parseChatRequest(await readJson(request, { limits, clock: runtime.clock, caller: principal }))
      const { caller, cookie } = await this.#caller(request, principal, chat.id)
      const place = await this.#threads.find(chat.id, caller)
      // What the page had left is stopped before it says something new.
      const onNews = (news: typeof place) => this.#followed.moveOn(news)
      const taken = await takeChat(chat, place, { ...this.#options, onNews })
      const headers = defined({ 'set-cookie': cookie })
      if (taken === undefined) return this.#texts(request, noChunks(), { headers, onEnd: leave })
      return this.#stream(request, place, taken, { headers, leave })
    } catch (error) {
      leave()
      throw error
    }
  }

  /** The running answer from its beginning; 204 when there is none, as `useChat` expects. */
  async resume(request: Request, id: string): Promise<Response> {
    const { place, leave } = await this.#find(request, id)
    try {
      const open = await this.#openTurn(place)
      if (open === undefined) {
        leave()
        return new Response(null, { status: 204 })
      }
      const from = await this.#beginning(place, open)
      const taken: TakenChat = { of: { turnId: open }, from, known: [], brings: false }
      return this.#stream(request, place, taken, { headers: {}, leave })
    } catch (error) {
      leave()
      throw error
    }
  }

  /** The conversation as `useChat` takes it for its first messages. */
  async history(request: Request, id: string): Promise<Response> {
    const { place, leave } = await this.#find(request, id)
    try {
      const { sessions } = this.#options
      const exists = await ifFound(sessions.checkAccess(place.session, place.principal))
      const messages =
        exists === undefined ? [] : await uiHistory(sessions.history(place.session, place.viewer), place.viewer.id)
      return jsonResponse({ id, messages })
    } finally {
      leave()
    }
  }

  async stop(request: Request, id: string): Promise<Response> {
    const { place, leave } = await this.#find(request, id)
    try {
      const cancelled = await ifFound(this.#options.sessions.cancel(place.session, undefined, place.principal))
      return jsonResponse({ cancelled: cancelled ?? false }, 202)
    } finally {
      leave()
    }
  }

  #stream(
    request: Request,
    place: ThreadSession,
    { of, from, known, brings }: TakenChat,
    { headers, leave }: { readonly headers: Readonly<Record<string, string>>; readonly leave: () => void },
  ): Response {
    const { sessions, signal: ending, localLink } = this.#options
    const end = until(request.signal, ending)
    const followed = this.#followed.begin(place, { isBack: !brings })
    let followedTurn: string | undefined
    const linkOf = localLink && ((id: string) => localLink(id, place.session, place.principal))
    const onTurn = (turnId: string) => {
      followedTurn = turnId
    }
    const chunks = chatChunks({ sessions, place, of, from, known, signal: end.signal, linkOf, onTurn })
    const onEnd = (hasLeft: boolean) => {
      leave()
      end.now()
      if (hasLeft) followed.leave(() => this.#turnToStop(place, followedTurn))
      else followed.end()
    }
    return this.#texts(request, chunks, { headers, onEnd })
  }

  #texts(
    request: Request,
    chunks: AsyncGenerator<UiChunk, void, undefined>,
    {
      headers,
      onEnd,
    }: { readonly headers: Readonly<Record<string, string>>; readonly onEnd: (hasLeft: boolean) => void },
  ): Response {
    const { logger } = this.#options.runtime
    let isFinished = false
    const texts = lines(chunks, () => {
      isFinished = true
    })
    const onError = (error: unknown) => {
      isFinished = true
      logger.log('error', 'an answer to a page of the AI SDK failed', { error })
      return `${JSON.stringify({ type: 'error', errorText: errorText(error) })}\n\ndata: [DONE]`
    }
    const options = { heartbeats: this.#heartbeats, onError, headers: { ...streamHeaders, ...headers } }
    return textEvents(request, texts, { ...options, onEnd: (isLeft) => onEnd(isLeft && !isFinished) })
  }

  async #find(request: Request, id: string) {
    const principal = await this.#principal(request)
    const leave = this.#enter(request, principal)
    try {
      return { place: await this.#threads.find(id, principal), leave }
    } catch (error) {
      leave()
      throw error
    }
  }

  async #openTurn({ session, principal }: ThreadSession): Promise<string | undefined> {
    return (await ifFound(this.#options.sessions.view(session, principal)))?.turn?.turnId
  }

  /** Where a turn starts. */
  async #beginning({ session, viewer }: ThreadSession, turnId: string) {
    for await (const frame of this.#options.sessions.history(session, viewer)) {
      if (frame.kind === 'turn' && frame.turnId === turnId && frame.cursor !== undefined)
        return { from: Number(frame.cursor) }
    }
    return undefined
  }

  /** The turn that a page has left, if it still runs. One that waits for a person waits on. */
  async #turnToStop({ session, principal }: ThreadSession, turnId: string | undefined): Promise<string | undefined> {
    const turn = (await ifFound(this.#options.sessions.view(session, principal)))?.turn
    return turn?.turnId === turnId && turn?.turnState !== 'suspended' ? turnId : undefined
  }

  async #principal(request: Request): Promise<Principal | undefined> {
    const principal = (await askAuthenticator(this.#options.authenticate, request))?.principal
    if (principal === undefined && this.#options.guests === false) {
      throw new BeachError('UNAUTHENTICATED', 'Authenticate: send `Authorization: Bearer` with a token.')
    }
    return principal
  }

  /** A guest of a page of ours whose conversation has an id that could be guessed is told apart by a cookie from then on. */
  async #caller(
    request: Request,
    principal: Principal | undefined,
    id: string,
  ): Promise<{ readonly caller: Principal | undefined; readonly cookie?: string }> {
    if (principal !== undefined || isHardToGuess(id) || !isOwnPage(request)) return { caller: principal }
    const caller = this.#options.guest()
    return { caller, cookie: await this.#options.cookieOf(caller, request) }
  }

  /** Counts a request; guests have a principal for each conversation, and are told apart by where they come from. */
  #enter(request: Request, principal: Principal | undefined): () => void {
    const network = remoteNetwork(request)
    if (principal !== undefined) return this.#open.enterFrom(principal, network)
    const { tenant } = this.#options
    return this.#open.enter({ kind: 'anonymous', id: 'ai-sdk-guests', tenant }, network)
  }
}

async function* lines(chunks: AsyncGenerator<UiChunk>, onEnd: () => void): AsyncGenerator<string, void, undefined> {
  for await (const chunk of chunks) yield JSON.stringify(chunk)
  onEnd()
  yield '[DONE]'
}

async function* noChunks(): AsyncGenerator<UiChunk, void, undefined> {}

/** An error of our side without a word of its insides. */
function errorText(error: unknown): string {
  const isOurs = isStoreFailure(error) || (isBeachError(error) && error.status < 500)
  return isOurs ? error.message : 'Something went wrong on our side. Load the conversation again to go on.'
}
