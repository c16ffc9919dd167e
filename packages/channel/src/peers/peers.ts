import type { Part, Runtime } from '@cool-ai/beach-core'
import type { CardTransport, ReadAgentCard } from '@cool-ai/beach-protocol/agent-card'
import type { Fetch } from '../auth/fetch.ts'
import type { PeerCredentials } from '../auth/peer-credentials.ts'
import type { CallResult, PeerPart } from './call-result.ts'
import type { CallLimits } from './limits.ts'
import type { RequestGuard } from '../guarded-fetch/guarded-fetch.ts'

/** A peer that can be called: its card, and the ways to reach it that may be used. */
export interface CallablePeer {
  readonly id: string
  readonly card: ReadAgentCard
  readonly transports: readonly CardTransport[]
  /** Transports that its card names and that may not be used here, and why. */
  readonly refused?: readonly { readonly transport: CardTransport; readonly reason: string }[]
  /** Where requests to it may go. */
  readonly guard?: RequestGuard
}

/** The callable peers; the agent registry is one implementation. */
export interface Peers {
  byId(id: string): CallablePeer | undefined
  ids(): readonly string[]
  /** Also those whose card has not been read yet. */
  known?(): readonly string[]
  /** The peer with a card that is fresh, or with `force` read just now; throws when the card cannot be fetched. */
  current?(id: string, options: { readonly signal?: AbortSignal; readonly force?: boolean }): Promise<CallablePeer>
  /** The schema of what a capability takes or gives, where its card only refers to it. */
  resolveSchema?(
    id: string,
    capability: string,
    which: 'input' | 'output',
    options: { readonly signal?: AbortSignal },
  ): Promise<Readonly<Record<string, unknown>> | undefined>
}

/** A message to a peer by MCP. */
export interface McpCall {
  readonly peer: CallablePeer
  readonly transport: CardTransport
  readonly messageId: string
  readonly contextId?: string | undefined
  readonly parts: readonly Part[]
  /** What the caller tells about itself. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly onPart?: ((part: PeerPart) => void | Promise<void>) | undefined
}

/** What calls of peers need, for every protocol. */
export interface PeerCallOptions {
  /** Who is calling: the id and, where it is published, the address of this agent's card. */
  readonly agent: { readonly id: string; readonly card?: string | undefined }
  /** A guarded fetch, unless every peer is one's own. */
  readonly fetch: Fetch
  readonly runtime: Runtime
  /** The credentials that identify this agent to a peer. */
  readonly credentials?:
    | ((
        peer: CallablePeer,
        transport: CardTransport,
      ) => PeerCredentials | undefined | Promise<PeerCredentials | undefined>)
    | undefined
  readonly limits?: Partial<CallLimits> | undefined
}

/** Calls peers that speak MCP only; `mcpCaller` of `@cool-ai/beach-mcp/peers` is one. */
export type McpCaller = (call: McpCall, options: PeerCallOptions) => Promise<CallResult>
