import type { Part } from './part.ts'

/** What is true of an envelope besides its parts. */
export interface EnvelopeMeta {
  readonly sessionId: string
  readonly turnId: string
  readonly eventId?: string
  readonly originatorId?: string
  readonly producedAt: string
  readonly turnState?: string
  /** The same as `turnState`, by its other name; on envelopes that were read. */
  readonly conversationState?: string
  readonly finalizedBy?: string
}

/** A settled answer, whole: what buffered listeners get. */
export interface Envelope {
  readonly role: 'agent'
  readonly parts: readonly Part[]
  readonly meta: EnvelopeMeta
}
