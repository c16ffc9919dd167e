import type { Admission } from '@cool-ai/beach-channel/admission'
import { BeachError, type Runtime, type Store } from '@cool-ai/beach-core'
import { mayAccess, principalKey } from '@cool-ai/beach-core/ports'
import { defined, elapsed, LruMap, withDefaults, type AllGiven } from '@cool-ai/beach-core/runtime'
import type { Secret } from '@cool-ai/beach-core/tokens'
import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
  type McpServer,
  type Server,
} from '@modelcontextprotocol/server'
import { AnswerRelay } from './answer-relay.ts'
import { toAuthInfo, type Caller } from './caller.ts'
import { LegacySessionIds } from './legacy-session-ids.ts'

/** What sessions of clients of earlier revisions may take up; what is left out has a default. */
export interface LegacyLimits {
  readonly sessions?: number | undefined
  readonly sessionsPerPrincipal?: number | undefined
  /** How long an unused session lasts. */
  readonly idleMs?: number | undefined
}

export interface LegacySessionsOptions {
  readonly runtime: Runtime
  readonly serverFor: (caller: Caller) => McpServer | Server
  readonly limits?: LegacyLimits | undefined
  readonly keepAliveMs?: number | undefined
  readonly admission: Pick<Admission, 'begin'>
  /** With both, each process of the agent goes on with the sessions of the others. */
  readonly secret?: Secret | undefined
  readonly store?: Pick<Store, 'publish' | 'tail'> | undefined
}

/** Of the room for guests, so much may be of one network. */
const partOfNetwork = 0.8
/** Guests do not push out a session that was used so recently. */
const activeMs = 5 * 60_000
const maxEnded = 10_000

interface LegacySession {
  readonly id: string
  readonly caller: Caller
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: McpServer | Server
  open: number
  /** True when its client has asked for something since it began. */
  isUsed: boolean
  usedAt: number
}

/** The sessions of clients of revisions before 2026-07-28: bound to the caller that began them, counted, and released when idle. */
export class LegacySessions {
  readonly #options: LegacySessionsOptions
  readonly #sessions = new Map<string, LegacySession>()
  readonly #limits: AllGiven<LegacyLimits>
  readonly #ids: LegacySessionIds | undefined
  readonly #relay: AnswerRelay | undefined
  /** Those that are just being taken over: requests of one client come together. */
  readonly #goingOn = new Map<string, Promise<LegacySession | undefined>>()
  /** Those that their clients have ended here. */
  readonly #ended = new LruMap<true>(maxEnded)
  #cancelSweep: (() => void) | undefined

  constructor(options: LegacySessionsOptions) {
    this.#options = options
    const { runtime, secret, store } = options
    this.#ids = secret && new LegacySessionIds(runtime, secret)
    this.#relay = store && new AnswerRelay(runtime, store)
    this.#limits = withDefaults({ sessions: 1_000, sessionsPerPrincipal: 100, idleMs: 30 * 60_000 }, options.limits)
  }

  get size(): number {
    return this.#sessions.size
  }

  async fetch(request: Request, body: unknown, caller: Caller): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const session = id === null ? await this.#beginWith(body, caller) : await this.#find(id, caller)
    const { transport } = session
    session.open += 1
    session.isUsed ||= id !== null && isRequest(body)
    session.usedAt = elapsed(this.#options.runtime.clock)
    let isOpen = true
    const done = () => {
      if (!isOpen) return
      isOpen = false
      session.open -= 1
      session.usedAt = elapsed(this.#options.runtime.clock)
    }
    try {
      const authInfo = toAuthInfo(session.caller)
      const accepted = this.#relay === undefined ? { body } : this.#relay.accept(session.id, body)
      if (accepted === undefined) return whenDone(new Response(null, { status: 202 }), done)
      const handled = await transport.handleRequest(request, { authInfo, parsedBody: accepted.body })
      const response = whenDone(handled, done)
      if (transport.sessionId === undefined) await this.#end(session)
      return response
    } catch (error) {
      done()
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)))
    await this.#relay?.close()
  }

  async #find(id: string, caller: Caller): Promise<LegacySession> {
    const { principal } = caller
    const session = this.#sessions.get(id) ?? (await this.#takeOver(id, caller))
    const owner = session?.caller.principal
    // A guest has only the session's id to show; a caller that began with a credential must present it each time.
    const isTheirs = owner === undefined || principal === undefined ? owner === principal : mayAccess(owner, principal)
    if (session !== undefined && isTheirs) return session
    throw new BeachError('NOT_FOUND', 'There is no such MCP session any more. Begin a new one with `initialize`.')
  }

  #takeOver(id: string, caller: Caller): Promise<LegacySession | undefined> {
    const known = this.#goingOn.get(id)
    if (known !== undefined) return known
    const goingOn = this.#goOn(id, caller).finally(() => this.#goingOn.delete(id))
    this.#goingOn.set(id, goingOn)
    return goingOn
  }

  /** A session that another process has begun, or an earlier one, as its id tells it. */
  async #goOn(id: string, caller: Caller): Promise<LegacySession | undefined> {
    const began = this.#ids?.read(id, caller)
    if (began === undefined || this.#ended.get(id) === true) return undefined
    const session = await this.#begin(id, caller)
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    for (const body of [began, initialized]) await (await this.#handle(session, body)).text()
    return session
  }

  /** Gives the session a message that does not come with a request of its client. */
  #handle({ id, transport, caller }: LegacySession, parsedBody: unknown): Promise<Response> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': id,
    }
    const request = new Request('http://localhost/mcp', { method: 'POST', headers })
    return transport.handleRequest(request, { authInfo: toAuthInfo(caller), parsedBody })
  }

  async #beginWith(body: unknown, caller: Caller): Promise<LegacySession> {
    if (!isInitializeRequest(body)) {
      throw new BeachError('BAD_REQUEST', 'Begin with `initialize`, and send the `Mcp-Session-Id` that it returns.')
    }
    return this.#begin(this.#ids?.mint(body, caller) ?? this.#options.runtime.id('mcp'), caller)
  }

  async #begin(id: string, caller: Caller): Promise<LegacySession> {
    const { runtime, serverFor, keepAliveMs } = this.#options
    this.#options.admission.begin(
      caller.principal,
      caller.network === undefined ? undefined : { network: caller.network },
    )
    const gone = this.#makeRoom(caller)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => {
        this.#ended.set(id, true)
        this.#forget(id)
      },
      ...defined({ keepAliveMs }),
    })
    this.#relay?.mark(transport)
    this.#relay?.follow((to, answer) => this.#answered(to, answer))
    const server = serverFor(caller)
    const session = { id, caller, transport, server, open: 0, isUsed: false, usedAt: elapsed(runtime.clock) }
    this.#sessions.set(id, session)
    this.#sweepLater()
    await gone?.server.close()
    await server.connect(transport)
    return session
  }

  /** An answer to a request of this process has reached another one, which knows that it is the session's client's. */
  #answered(id: string, answer: unknown): void {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    const accepted = this.#relay?.accept(id, answer)
    if (accepted !== undefined) void this.#handle(session, accepted.body).catch(() => {})
  }

  /** Takes one out that rests, when there are too many; those that are in use stay. */
  #makeRoom(caller: Caller): LegacySession | undefined {
    const crowds = this.#crowdsFor(caller)
    if (crowds.length === 0) return undefined
    const mayGo = (session: LegacySession) => session.open === 0 && !(isGuest(caller) && this.#isActive(session))
    const idle = crowds.map((crowd) => crowd.filter(mayGo)).find((some) => some.length > 0) ?? []
    const [idlest] = idle.toSorted(
      (one, other) => Number(one.isUsed) - Number(other.isUsed) || one.usedAt - other.usedAt,
    )
    if (idlest === undefined) {
      const message = 'Too many MCP sessions are open. End one first, or begin one later.'
      throw new BeachError('TOO_MANY', message, { details: { retryAfter: 30 } })
    }
    this.#forget(idlest.id)
    return idlest
  }

  /**
   * The sessions of which one has to go before this caller begins another: its own, when it has as many as it may have;
   * when there is no room for all, those of the caller with the most, guests first. So a flood drives out its own.
   */
  #crowdsFor(caller: Caller): readonly (readonly LegacySession[])[] {
    const all = [...this.#sessions.values()]
    const guests = all.filter((session) => isGuest(session.caller))
    const own = all.filter((session) => groupOf(session.caller) === groupOf(caller))
    const { sessions, sessionsPerPrincipal } = this.#limits
    if (!isGuest(caller)) {
      if (own.length >= sessionsPerPrincipal) return [own]
      return all.length < sessions ? [] : [largestGroup(guests), largestGroup(all)]
    }
    // Guests together have half of the room, and push out only guests.
    const maxGuests = Math.ceil(sessions / 2)
    if (own.length >= Math.ceil(maxGuests * partOfNetwork)) return [own]
    if (guests.length < maxGuests && all.length < sessions) return []
    const largest = largestGroup(guests)
    return [largest.length > own.length ? largest : own]
  }

  #isActive({ isUsed, usedAt }: LegacySession): boolean {
    return isUsed && usedAt > elapsed(this.#options.runtime.clock) - activeMs
  }

  #sweepLater(): void {
    const { clock } = this.#options.runtime
    this.#cancelSweep ??= clock.timer(this.#limits.idleMs, () => {
      this.#cancelSweep = undefined
      const old = elapsed(clock) - this.#limits.idleMs
      for (const session of this.#sessions.values()) {
        if (session.open === 0 && session.usedAt <= old) void this.#end(session)
      }
      if (this.#sessions.size > 0) this.#sweepLater()
    })
  }

  #forget(id: string): void {
    this.#sessions.delete(id)
    if (this.#sessions.size > 0) return
    this.#cancelSweep?.()
    this.#cancelSweep = undefined
  }

  async #end({ id, server }: LegacySession): Promise<void> {
    this.#forget(id)
    await server.close()
  }
}

/** Whose sessions count together: a principal's, or those of the guests of one network. */
function groupOf(caller: Caller): string {
  const { principal, network = '' } = caller
  if (principal === undefined || isGuest(caller)) return `guests ${network}`
  return `${principal.tenant} ${principalKey(principal)}`
}

function largestGroup(sessions: readonly LegacySession[]): readonly LegacySession[] {
  const groups = Map.groupBy(sessions, ({ caller }) => groupOf(caller))
  return [...groups.values()].reduce((one, other) => (other.length > one.length ? other : one), [])
}

/** Whether something is asked for: neither a notification nor an answer, nor a stream that waits for news. */
function isRequest(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'id' in body && 'method' in body
}

/** Any caller can have any number of guest tokens. */
function isGuest({ principal }: Caller): boolean {
  return principal === undefined || principal.kind === 'anonymous'
}

/** The response, whose end (read, cancelled or failed) is told once; one without a body has ended already. */
function whenDone(response: Response, done: () => void): Response {
  const { body, status, headers } = response
  if (body === null) {
    done()
    return response
  }
  const reader = body.getReader()
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done: isOver, value } = await reader.read()
          if (!isOver) return controller.enqueue(value)
          done()
          controller.close()
        } catch (error) {
          done()
          controller.error(error)
        }
      },
      async cancel(reason) {
        done()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(watched, { status, headers })
}
