import type { Part } from '@cool-ai/beach-core'
import type { CardTransport, ReadAgentCard } from '@cool-ai/beach-protocol/agent-card'
import type { CallResult, PeerPart } from '../a2a-client/call-result.ts'
import type { RequestGuard } from '../guarded-fetch/guarded-fetch.ts'

/** A peer that can be called: its card, and the ways to reach it that may be used. */
export interface CallablePeer {
  readonly id: string
  readonly card: ReadAgentCard
  readonly transports: readonly CardTransport[]
  /** Ways that its card names and that may not be used here, and why. */
  readonly refused?: readonly { readonly transport: CardTransport; readonly reason: string }[]
  /** Where requests to it may go. */
  readonly guard?: RequestGuard
}

/** Those who can be called; the agent registry is one. */
export interface Peers {
  byId(id: string): CallablePeer | undefined
  ids(): readonly string[]
  /** Also those whose card is yet to be read. */
  known?(): readonly string[]
  /** The peer with a card that is fresh, or with `force` read just now; throws when it cannot be had. */
  current?(id: string, options: { readonly signal?: AbortSignal; readonly force?: boolean }): Promise<CallablePeer>
  /** The schema of what a capability takes or gives, where its card only refers to it. */
  resolveSchema?(
    id: string,
    capability: string,
    which: 'input' | 'output',
    options: { readonly signal?: AbortSignal },
  ): Promise<Readonly<Record<string, unknown>> | undefined>
}

/** What is to be said to a peer by MCP. */
export interface McpCall {
  readonly peer: CallablePeer
  readonly transport: CardTransport
  readonly messageId: string
  readonly contextId?: string
  readonly parts: readonly Part[]
  /** What the caller says of itself. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly onPart?: (part: PeerPart) => void | Promise<void>
}

/** Calls peers that speak MCP only. */
export type McpCaller = (call: McpCall) => Promise<CallResult>
