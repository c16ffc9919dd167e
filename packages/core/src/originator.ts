import type { Principal } from './principal.ts'

/** Streaming listeners get parts as they come; buffered ones get one envelope at settlement. */
export type DeliveryClass = 'streaming' | 'buffered'

/** How much of the agent's tool calls is shown. */
export type ShownCalls = 'off' | 'names' | 'full'

/** A participant of a conversation through a channel; answers go to it. */
export interface Originator {
  readonly id: string
  /** The registered transport: `sse`, `a2a`, `smtp`, … */
  readonly transport: string
  readonly deliveryClass: DeliveryClass
  readonly principal: Principal
  /** Part types that a peer consumes, by its Agent Card; absent for listeners that are not peers. */
  readonly consumes?: readonly string[]
  /** The catalogs of surfaces that it can show; absent when it did not say, and is taken to know the Basic Catalog. */
  readonly catalogs?: readonly string[]
  /** The language in which it wants llm-context, as a tag, by its Agent Card. */
  readonly llmContextLanguage?: string
  /** Where a peer's Agent Card is. */
  readonly card?: string
  /** The ids of the agents that what it says has come through, the first one first. */
  readonly via?: readonly string[]
  /**
   * What a listener is shown of the tools that actors call: that they are called (`names`), also with what and what came of it
   * (`full`), or nothing. What its own client is called for it is shown in full. When absent, nothing at all.
   */
  readonly toolCalls?: ShownCalls
  /** Where to send to, for channels that push. */
  readonly address?: string
  /** What else its channel needs to reach it. */
  readonly details?: Readonly<Record<string, unknown>>
}
