import type { Page } from '@cool-ai/beach-core/ports'
import type { Address } from '../identities/address.ts'
import type { PartPosition } from './missive-parts.ts'
import type { Missive, MissiveDelivery, MissiveQuery } from './missive.ts'

/** How far a session's log has been read, and what must be known to read on. */
export interface ReadPosition {
  readonly seq: number
  readonly state: unknown
}

/** The effect of an event of the log. */
export type MissiveChange =
  | {
      readonly kind: 'missive'
      readonly missive: Missive
      /** Where the log has those of its parts that are large, so that they need not be kept a second time. */
      readonly places?: readonly (PartPosition | undefined)[] | undefined
    }
  /** The status of a delivery has changed; it is found by its own id, or by that of its missive when it gets one. */
  | { readonly kind: 'delivery'; readonly missiveId?: string | undefined; readonly delivery: Partial<MissiveDelivery> }
  /** Deliveries that wait for this originator are not sent any more. */
  | { readonly kind: 'left'; readonly originatorId: string; readonly at: number }
  /** An event names these artifacts. */
  | { readonly kind: 'artifacts'; readonly at: number; readonly artifactIds: readonly string[] }
  /** All of the session is gone, or what went to and came from these originators. */
  | { readonly kind: 'erased'; readonly originatorIds?: readonly string[] | undefined }

/** A query, and whose missives it is about: all of the tenant, or those that are of or with one of these addresses. */
export interface StoredQuery extends Omit<MissiveQuery, 'person' | 'text'> {
  readonly tenant: string
  readonly words?: readonly string[] | undefined
  readonly persons?: readonly Address[] | undefined
  readonly mine?: readonly Address[] | undefined
}

/** A person's participation in a session. */
export interface Participation {
  readonly sessionId: string
  readonly originatorId: string
  readonly isOwner: boolean
}

/** Missives older than a time, of a tenant and channel or of all. */
export interface AgeQuery {
  readonly tenant?: string | undefined
  readonly channel?: string | undefined
  /** Tenants and channels that have rules of their own. */
  readonly except?: readonly { readonly tenant?: string | undefined; readonly channel?: string | undefined }[]
  readonly before: number
}

/**
 * Where missives are kept. It is a projection of the session logs: it can be rebuilt from them, and nothing is decided
 * by it.
 */
export interface MissiveStore {
  place(session: string): Promise<ReadPosition | undefined>
  /** Makes the changes, in their order, if the session is still at `after`; false when another process was quicker. */
  write(session: string, after: number, place: ReadPosition, changes: readonly MissiveChange[]): Promise<boolean>
  /** Newest first. */
  find(query: StoredQuery): Promise<Page<Missive>>
  get(missiveId: string, tenant: string): Promise<Missive | undefined>
  /** The sessions that it knows, by their ids. */
  sessions(after?: string, limit?: number): Promise<string[]>
  /** Where one of these addresses takes part. */
  involving(tenant: string, addresses: readonly Address[]): Promise<Participation[]>
  /** The sessions that have missives of that age, each once. */
  agedSessions(query: AgeQuery, after?: string, limit?: number): Promise<string[]>
  /** Forgets the missives of that age in a session, for good. */
  forgetAged(session: string, query: AgeQuery): Promise<number>
  /** Forgets that events of a session before a time have named artifacts. */
  forgetArtifacts(session: string, before: number): Promise<void>
  /** Artifacts that a session names and no other does. */
  artifactsOf(session: string): Promise<string[]>
  /** Those that nothing names, each with the time at which that was first seen; it is remembered for the next time. */
  unnamed(artifactIds: readonly string[], now: number): Promise<ReadonlyMap<string, number>>
  /** An artifact that nothing named is gone. */
  collected(artifactId: string): Promise<void>
  /** Forgets a session, and where it was read to. */
  drop(session: string): Promise<void>
  /** Forgets everything, so that it is made anew. */
  clear(): Promise<void>
  /** Writes something, to find out whether it can be written now; rejects with the reason when it cannot. */
  check?(): Promise<void>
  close(): Promise<void>
}
