import type { Page } from '@cool-ai/beach-core/ports'
import type { Address } from './address.ts'

/** A person with several addresses. */
export interface Person {
  readonly personId: string
  readonly addresses: readonly Address[]
}

/** A change of identities, so that operators can tell why two addresses count as one. */
export interface IdentityEvent {
  readonly at: number
  readonly kind: 'joinStarted' | 'codeRefused' | 'joined' | 'split' | 'erased'
  /** The address that acted, or the operator. Absent when it was erased. */
  readonly by?: string | undefined
  /** Empty when they were erased. */
  readonly addresses: readonly Address[]
  readonly how?: 'code' | 'operator'
}

/** How long a code is good. */
export const codeMs = 15 * 60 * 1_000

/** A join that waits for its code. */
export interface PendingJoin {
  readonly from: Address
  readonly to: Address
  /** Of the code; the code itself is kept nowhere. */
  readonly codeHash: string
  readonly startedAt: number
  readonly expiresAt: number
}

/** How many joins may be started within a time, from an address and to one. */
export interface JoinLimits {
  readonly since: number
  readonly maxPerSender: number
  readonly maxPerTarget: number
}

/** What came of a code that a person has entered. */
export type TriedCode =
  | { readonly outcome: 'right'; readonly to: Address }
  | { readonly outcome: 'wrong'; readonly triesLeft: number }
  | { readonly outcome: 'none' }

/**
 * Where identities are kept. Unlike missives they are the source of truth: no log has them. Each operation is atomic,
 * together with its event.
 */
export interface IdentityStore {
  /** The person whose address it is; undefined for an address that stands alone. */
  personOf(tenant: string, address: Address): Promise<Person | undefined>
  /** Makes one person of all whose addresses these are; undefined, and nothing done, when that would be too many. */
  join(
    tenant: string,
    addresses: readonly Address[],
    event: IdentityEvent,
    personId: string,
  ): Promise<Person | undefined>
  /** Takes an address from its person; false when it stood alone. */
  split(tenant: string, address: Address, event: IdentityEvent): Promise<boolean>
  /** Keeps a join in place of an earlier one from the same address; false when there were too many. */
  openJoin(tenant: string, join: PendingJoin, limits: JoinLimits, event: IdentityEvent): Promise<boolean>
  /** Tries a code. A right one is used up; after five wrong ones the join is gone. */
  tryCode(tenant: string, from: Address, codeHash: string, now: number, refused: IdentityEvent): Promise<TriedCode>
  /** Forgets the addresses, also in what was done with them. */
  erase(tenant: string, addresses: readonly Address[], event: IdentityEvent): Promise<void>
  /** The changes, newest first. */
  events(tenant: string, after?: string, limit?: number): Promise<Page<IdentityEvent>>
  /** Writes something, to find out whether it can be written now; rejects with the reason when it cannot. */
  check?(): Promise<void>
  close(): Promise<void>
}

export const maxTries = 5
export const maxAddresses = 50
/** Changes are remembered that far back, for each tenant. */
export const maxEvents = 10_000
