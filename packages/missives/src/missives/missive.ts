import type { Part, Principal } from '@cool-ai/beach-core'
import type { Address } from '../identities/address.ts'

/** The other side of a message. */
export interface Correspondent {
  readonly originatorId: string
  readonly principal: Pick<Principal, 'kind' | 'id'>
  readonly addresses: readonly Address[]
}

/**
 * The status of a missive: `received` is one that came in; `offered` is one for a listener that connects, whose reading
 * is not logged; the others are sent by us, `failed` when that was given up, `dropped` when its addressee left.
 */
export type MissiveState = 'received' | 'offered' | 'queued' | 'sent' | 'failed' | 'dropped'

/** What became of a message on its way out. */
export interface MissiveDelivery {
  readonly state: MissiveState
  /** When it came to this state. */
  readonly at: number
  readonly deliveryId?: string | undefined
  readonly attempts?: number | undefined
  /** The other side's id of it. */
  readonly externalId?: string | undefined
  /** Why the last attempt failed. */
  readonly reason?: string | undefined
}

/** A message that came in or went out, as it was. A record: nothing reacts to it. */
export interface Missive {
  readonly missiveId: string
  readonly tenant: string
  readonly sessionId: string
  /** What one correspondent and the agent say to each other on one channel of one session. */
  readonly threadId: string
  readonly direction: 'in' | 'out'
  /** The transport. */
  readonly channel: string
  readonly correspondent: Correspondent
  /** Whose session it is. */
  readonly owner?: Address | undefined
  /** With the setState parts, which no correspondent is shown. */
  readonly parts: readonly Part[]
  readonly at: number
  /** Its place in the session's log. */
  readonly seq: number
  readonly turnId?: string | undefined
  readonly turnState?: string | undefined
  readonly delivery: MissiveDelivery
}

/** What to look for; all that is given must hold. */
export interface MissiveQuery {
  /** Words that it has, in any order; each may be the beginning of a longer one. */
  readonly text?: string | undefined
  readonly sessionId?: string | undefined
  readonly threadId?: string | undefined
  /** An address of a person, such as `email:ann@example.com`: all that is joined with it is meant. */
  readonly person?: Address | undefined
  readonly channel?: string | undefined
  readonly direction?: 'in' | 'out' | undefined
  /** From this time on, and before that one. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** The `next` of the page before. */
  readonly after?: string | undefined
  /** 50 when left out, at most 200. */
  readonly limit?: number | undefined
}
