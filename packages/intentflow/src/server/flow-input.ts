import type { Principal } from '@cool-ai/beach-core'
import type { Book } from './flows-state.ts'

type Json = Readonly<Record<string, unknown>>

/** Why something of an instance is changed. */
export interface Cause {
  readonly by: Principal
  /** The event that led to it. */
  readonly eventId: string
  /** How many pieces of work have led to it. */
  readonly depth: number
  /** Said in the payload: the client event that this answers. */
  readonly inReplyTo?: string
}

/** An event on its way to the machine of an instance. */
export interface FlowInput {
  readonly event: string
  readonly payload?: Json
  /** What of the context is changed besides. */
  readonly contextUpdate?: Json
  /** What is remembered with it. */
  readonly book?: Book
  /** What the instance's end brings, where that is not its context. */
  readonly result?: Json
}
