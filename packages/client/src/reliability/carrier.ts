import type { Frame } from '@cool-ai/beach-core'

/** How frames come. */
export type Via = 'websocket' | 'sse'

/** What a carrier tells while it lasts. */
export interface CarrierEvents<Message = Frame> {
  /** The agent has agreed: frames will come, and a sign of life at least every `heartbeatMs` if there is one. */
  readonly opened: (via?: Via, heartbeatMs?: number) => void
  /** Anything has come, be it only a sign of life. */
  readonly activity: () => void
  readonly frame: (frame: Message) => void
  /** How long the first pause is to be, should this one break. */
  readonly retry: (ms: number) => void
}

/**
 * One connection that brings a session's frames after a cursor. It resolves when the agent has ended it, and rejects
 * when it broke, was refused, or the signal aborted.
 */
export type Carrier<Message = Frame> = (
  after: string | undefined,
  events: CarrierEvents<Message>,
  signal: AbortSignal,
) => Promise<void>
