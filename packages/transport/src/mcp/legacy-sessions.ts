import { BeachError, elapsed, mayAccess, principalKey, type Principal, type Runtime } from '@cool-ai/beach-core'
import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
  type McpServer,
  type Server,
} from '@modelcontextprotocol/server'
import { toAuthInfo, type Caller } from './caller.ts'
import { whenDone } from './when-done.ts'

/** What sessions of clients of earlier revisions may take up; what is left out has a default. */
export interface LegacyLimits {
  readonly sessions?: number
  readonly sessionsPerPrincipal?: number
  /** How long a session lasts that nobody uses. */
  readonly idleMs?: number
}

export interface LegacySessionsOptions {
  readonly runtime: Runtime
  readonly serverFor: (caller: Caller) => McpServer | Server
  readonly limits?: LegacyLimits
  readonly keepAliveMs?: number
}

interface LegacySession {
  readonly id: string
  readonly caller: Caller
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: McpServer | Server
  /** Requests and streams that are open. */
  open: number
  usedAt: number
}

/** The sessions of clients of revisions before 2026-07-28: bound to whoever began them, counted, and let go when idle. */
export class LegacySessions {
  readonly #options: LegacySessionsOptions
  readonly #sessions = new Map<string, LegacySession>()
  readonly #limits: Required<LegacyLimits>
  #cancelSweep: (() => void) | undefined

  constructor(options: LegacySessionsOptions) {
    this.#options = options
    this.#limits = { sessions: 1_000, sessionsPerPrincipal: 100, idleMs: 30 * 60_000, ...options.limits }
  }

  get size(): number {
    return this.#sessions.size
  }

  async fetch(request: Request, body: unknown, caller: Caller): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const session = id === null ? await this.#begin(body, caller) : this.#find(id, caller)
    const { transport } = session
    session.open += 1
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
      const options = { authInfo, ...(body !== undefined && { parsedBody: body }) }
      const response = whenDone(await transport.handleRequest(request, options), done)
      if (transport.sessionId === undefined) await this.#end(session)
      return response
    } catch (error) {
      done()
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)))
  }

  #find(id: string, { principal }: Caller): LegacySession {
    const session = this.#sessions.get(id)
    const owner = session?.caller.principal
    // A guest has only the session's id to show; whoever began with a credential must show it each time.
    const isTheirs = owner === undefined || principal === undefined ? owner === principal : mayAccess(owner, principal)
    if (session !== undefined && isTheirs) return session
    throw new BeachError('NOT_FOUND', 'There is no such MCP session any more. Begin a new one with `initialize`.')
  }

  async #begin(body: unknown, caller: Caller): Promise<LegacySession> {
    if (!isInitializeRequest(body)) {
      throw new BeachError('BAD_REQUEST', 'Begin with `initialize`, and send the `Mcp-Session-Id` that it returns.')
    }
    const { runtime, serverFor, keepAliveMs } = this.#options
    await this.#makeRoom(caller)
    const id = runtime.id('mcp')
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#forget(id),
      ...(keepAliveMs !== undefined && { keepAliveMs }),
    })
    const server = serverFor(caller)
    const session = { id, caller, transport, server, open: 0, usedAt: elapsed(runtime.clock) }
    this.#sessions.set(id, session)
    this.#sweepLater()
    await server.connect(transport)
    return session
  }

  /** Lets go of what has rested longest, when there are too many; those that are in use stay. */
  async #makeRoom({ principal }: Caller): Promise<void> {
    const all = [...this.#sessions.values()]
    const { sessions, sessionsPerPrincipal } = this.#limits
    const own = all.filter(({ caller }) => {
      return principal === undefined ? caller.principal === undefined : isSame(caller.principal, principal)
    })
    // Guests together have half of the room, and push out nobody but guests.
    const most = principal === undefined ? Math.ceil(sessions / 2) : sessionsPerPrincipal
    if (own.length < most && all.length < sessions) return
    const crowd = principal === undefined || own.length >= most ? own : all
    const [idlest] = crowd.filter(({ open }) => open === 0).toSorted((one, other) => one.usedAt - other.usedAt)
    if (idlest === undefined) throw new BeachError('TOO_MANY', 'Too many MCP sessions are open. End one first.')
    await this.#end(idlest)
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

function isSame(one: Principal | undefined, other: Principal): boolean {
  return one !== undefined && one.tenant === other.tenant && principalKey(one) === principalKey(other)
}
