import type { DeliveryClass, Originator, Part, Principal } from '@cool-ai/beach-core'
import type { Address } from '../identities/address.ts'

/** What is known of an originator: nothing of what its channel needs to reach it, which may be secret. */
export interface KnownOriginator {
  readonly id: string
  readonly transport: string
  readonly deliveryClass: DeliveryClass
  readonly principal: Pick<Principal, 'kind' | 'id'>
  readonly consumes?: readonly string[]
  readonly addresses: readonly Address[]
}

/** A turn that has not settled, or has just. */
export interface ProjectedTurn {
  readonly turnId: string
  /** Whom it answers. */
  readonly originators: readonly string[]
  /** Ids of the parts that were sent before it settled, by whom they went to. */
  readonly flushed: readonly (readonly [originatorId: string, partIds: readonly string[]])[]
  readonly setState: readonly Part[]
  readonly turnState?: string
}

/** What must be known of a session to read on in its log. Plain JSON. */
export interface ProjectedSession {
  readonly tenant?: string
  readonly owner?: Address
  readonly originators: readonly KnownOriginator[]
  /** Messages and results that no turn has taken, with those whom an answer is for. */
  readonly waiting: readonly (readonly [id: string, originators: readonly string[]])[]
  /** The open turn, or the one that settled last. */
  readonly turn?: ProjectedTurn
  /** When the last thing happened. */
  readonly lastAt: number
  /** Made anew up to this seq, after something was taken out of the log. */
  readonly redoneUpTo?: number
}

export const newSession: ProjectedSession = { originators: [], waiting: [], lastAt: 0 }

/** The originator as an envelope is made for it; whoever reads here may see everything of the tenant. */
export function listenerOf(known: KnownOriginator, tenant: string): Originator {
  const { id, transport, deliveryClass, consumes } = known
  const principal: Principal = { kind: 'operator', id: 'missives', tenant }
  return { id, transport, deliveryClass, principal, ...(consumes && { consumes }) }
}
