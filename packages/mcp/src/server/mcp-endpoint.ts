import { bodyLimits, readJson, type BodyLimits } from '@cool-ai/beach-channel/http'
import { Admission } from '@cool-ai/beach-channel/admission'
import { BeachError, type Clock, type Runtime, type Store } from '@cool-ai/beach-core'
import type { Secret } from '@cool-ai/beach-core/tokens'
import {
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  type McpServer,
  type McpServerFactory,
  type Server,
} from '@modelcontextprotocol/server'
import { callerOf, toAuthInfo, type Caller } from './caller.ts'
import { authorizeRequest, type McpAccessOptions } from './authorize-request.ts'
import { LegacySessions, type LegacyLimits } from './legacy-sessions.ts'
import { challenge } from './protected-resource.ts'
import { rpcErrorResponse } from './wire-errors.ts'

/** How the MCP endpoint is served. */
export interface McpEndpointOptions extends McpAccessOptions {
  readonly runtime: Runtime
  /**
   * Makes a server for a caller: one for each request or, in earlier revisions, for each session. Of a request the method
   * is known, and its server needs to know no other.
   */
  readonly serverFor: (caller: Caller, method?: string) => McpServer | Server
  /** Counts what callers begin; give the same to channels that are to count together. */
  readonly admission?: Pick<Admission, 'begin'> | undefined
  readonly body?: BodyLimits | undefined
  readonly legacy?: LegacyLimits | undefined
  readonly keepAliveMs?: number | undefined
  /** With both, each process of an agent goes on with the sessions of earlier revisions that another one began. */
  readonly secret?: Secret | undefined
  readonly store?: Pick<Store, 'publish' | 'tail'> | undefined
  /** Answers requests to be told of something that the SDK does not know; undefined for those that are the SDK's. */
  readonly listen?: ((request: Request, body: unknown, caller: Caller) => Promise<Response | undefined>) | undefined
}

/** MCP servers behind one URL. */
export interface McpEndpoint {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/** Serves MCP by Streamable HTTP: revision 2026-07-28 request by request, 2025-11-25 and 2025-06-18 with sessions. */
export function mcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { runtime, serverFor, keepAliveMs, body: limits = bodyLimits } = options
  const keepAlive = keepAliveMs !== undefined && { keepAliveMs }
  const onerror = (error: Error) => runtime.logger.log('debug', 'an MCP request was refused', { error })
  // By then it is known that the header says the same as the body.
  const factory: McpServerFactory = ({ authInfo, requestInfo }) =>
    serverFor(callerOf(authInfo), requestInfo?.headers.get('mcp-method') ?? undefined)
  const modern = createMcpHandler(factory, { legacy: 'reject', maxSubscriptions: 100, onerror, ...keepAlive })
  const legacy = new LegacySessions({
    runtime,
    serverFor,
    admission: options.admission ?? new Admission({ clock: runtime.clock }),
    limits: options.legacy,
    secret: options.secret,
    store: options.store,
    ...keepAlive,
  })
  let isClosed = false

  return {
    async fetch(request) {
      try {
        if (isClosed) throw new BeachError('STORE_CLOSED', 'The agent is stopping.')
        const caller = await authorizeRequest(request, options)
        const body =
          request.method === 'POST' ? await bodyOf(request, caller, { limits, clock: runtime.clock }) : undefined
        if (!claimsRevision(body) && (await isLegacyRequest(request, body))) {
          return await legacy.fetch(request, body, caller)
        }
        const listened = await options.listen?.(request, body, caller)
        if (listened !== undefined) return listened
        return await modern.fetch(request, { authInfo: toAuthInfo(caller), parsedBody: body })
      } catch (error) {
        return rpcErrorResponse(error, runtime, challenge(error, options.auth))
      }
    },
    async close() {
      isClosed = true
      await Promise.all([modern.close(), legacy.close()])
    },
  }
}

async function bodyOf(
  request: Request,
  { principal }: Caller,
  how: { readonly limits: BodyLimits; readonly clock: Clock },
): Promise<unknown> {
  const body = await readJson(request, { ...how, caller: principal })
  if (body === undefined) throw new BeachError('BAD_JSON', 'The body is empty.')
  return body
}

/** True when the request says itself which revision it is of; only those since 2026-07-28 do. */
function claimsRevision(body: unknown): boolean {
  const meta = (body as { params?: { _meta?: Record<string, unknown> } } | undefined)?.params?._meta
  return typeof meta === 'object' && meta !== null && typeof meta[PROTOCOL_VERSION_META_KEY] === 'string'
}
