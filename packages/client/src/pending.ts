import type { PartMetadata } from '@cool-ai/beach-core'
import type { PostResult } from '@cool-ai/beach-core/ports'
import type { AgentError } from './reliability/agent-error.ts'

/** A part as it is sent; without a part type it is of type `message`. */
export interface OutgoingPart {
  readonly text?: string
  readonly data?: unknown
  readonly metadata?: Readonly<Partial<PartMetadata>>
}

/** A message that was sent here and has not come back yet as part of the conversation. */
export interface Pending {
  /** What makes all tries one message; its parts carry it as `metadata.clientId`. */
  readonly key: string
  readonly parts: readonly OutgoingPart[]
  /**
   * `waiting` until the agent can be reached, or for messages before it; `sent` once the agent has it; `failed` when the
   * agent refused it.
   */
  readonly state: 'sending' | 'waiting' | 'sent' | 'failed'
  /** Why it failed, or waits. */
  readonly error?: AgentError
  /** When it is tried again, in milliseconds since 1970. */
  readonly retryAt?: number
  /** Tries again at once, if it failed or waits. */
  readonly retry: () => Promise<PostResult>
  /** Forgets it. Unless it was refused, it may have reached the agent all the same. */
  readonly discard: () => void
}
