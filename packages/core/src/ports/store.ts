import type { Use, Used } from '../uses.ts'

/** One stored event. Within a session `seq` is strictly increasing and never reused, even after a drop; gaps are allowed. */
export interface StoredEvent {
  readonly seq: number
  readonly data: unknown
}

/** What `publish` sent: it reaches current followers, is never stored, and may be lost. */
export interface Live {
  readonly live: unknown
}

/** What a follower of a session's tail gets. */
export type TailItem = StoredEvent | Live

/** The log has moved on since `expected`; nothing was written. */
export class Conflict extends Error {
  readonly head: number

  constructor(head: number) {
    super(`The log has moved on to ${head}: read what is new and decide again.`)
    this.name = 'Conflict'
    this.head = head
  }
}

/** The right to run things for a session, for a limited time. */
export interface Lease {
  readonly session: string
  /** Extends the lease; false means that it is lost, and for good. */
  renew(): Promise<boolean>
  /** Gives the lease back and sets the session's next wake; does nothing when the lease is already lost. */
  release(nextWakeAt?: number): Promise<void>
}

/** A key with what it stands for. */
export interface BoundKey {
  readonly key: string
  readonly value: string
  /** When it was bound, by the clock of the process that did it. */
  readonly at: number
}

/** A process that has the store open. */
export interface StoreProcess {
  readonly id: string
  readonly host?: string | undefined
  readonly pid?: number | undefined
  /** When it was last heard of. */
  readonly seenAt: number
}

/** A lease that is held now, and the process that holds it where that is known. */
export interface HeldLease {
  readonly session: string
  readonly process?: string | undefined
  readonly until: number
}

/** The processes on a store, and the leases that they hold, those that end first coming first. */
export interface StoreHosts {
  readonly processes: readonly StoreProcess[]
  readonly leases: readonly HeldLease[]
}

/** The wake of a session that is to be claimed at once, even if the clock is set back before it is written. */
export const atOnce = 0

/** Durability, live streams, timers and scale-out in one small port. */
export interface Store {
  /** The id of this process among those of `hosts`, where a process can have a life of its own. */
  readonly process?: string | undefined
  /**
   * Compare-and-set: writes all events, and the wake with them, or throws Conflict. Returns the new head; the events of
   * one append have consecutive seqs that end there. They are immutable JSON: followers are given the same objects. No
   * two appends have the same events, as events have ids: a store that lost an answer finds out by them what was written.
   */
  append(session: string, expected: number, events: readonly unknown[], wakeAt?: number): Promise<number>
  /**
   * Appends what makes the session due and, when its lease is free, takes that and appends the events of the claim, all
   * in one write. When another host has the lease, the session is woken instead and no lease is returned.
   */
  appendAndClaim(
    session: string,
    expected: number,
    events: readonly unknown[],
    claim: { readonly events: readonly unknown[]; readonly leaseMs: number },
  ): Promise<{ readonly head: number; readonly lease?: Lease }>
  /**
   * Events after `after`, oldest first; an unknown session reads as empty. With `maxCharacters`, no more than that is
   * read at once, but one event at least.
   */
  read(session: string, after: number, limit?: number, maxCharacters?: number): Promise<StoredEvent[]>
  /**
   * History after `after`, then what is appended and published from now on, until the signal aborts or the iterator's
   * `return` is called, which also ends a wait for the next list. Entries that are there at the same time come in one
   * list, which is never empty. Of what is published a follower gets what it `wants`, all unless given; others may come
   * too.
   */
  tail(
    session: string,
    after: number,
    signal?: AbortSignal,
    wants?: (live: unknown) => boolean,
  ): AsyncIterable<readonly TailItem[]>
  publish(session: string, live: unknown): void
  /** Makes the session claimable at `at` (now when absent); an earlier wake stays. */
  wake(session: string, at?: number): Promise<void>
  /** Waits for a session that is due, or whose holder has died, and leases it; undefined once the signal aborts. */
  claim(leaseMs: number, signal: AbortSignal): Promise<Lease | undefined>
  /** Binds the key if it is absent; returns the value that it has then. */
  bind(key: string, value: string): Promise<string>
  list(prefix: string, after?: string, limit?: number): Promise<BoundKey[]>
  unbind(key: string): Promise<void>
  /** Gives the key another value if it has this one; false when it has not. For upkeep; a store may do without. */
  replace?(key: string, from: string, to: string): Promise<boolean>
  /** The names of all logs, in their order, after a name: for upkeep; a store may do without. */
  logs?(after?: string, limit?: number): Promise<string[]>
  /** Keeps the snapshot, unless there is one of a later seq. */
  saveSnapshot(session: string, seq: number, foldVersion: number, state: unknown): Promise<void>
  loadSnapshot(session: string): Promise<{ seq: number; foldVersion: number; state: unknown } | undefined>
  /**
   * Replaces the events of these seqs, from which content is to be erased for good: afterwards no file of the store
   * holds it any more. The snapshot goes too, and no earlier one comes back. Seqs that the session does not have are
   * passed over.
   */
  erase(session: string, events: readonly StoredEvent[]): Promise<void>
  /** Forgets the session's events, snapshot and wake. */
  drop(session: string): Promise<void>
  /**
   * Counts uses of what is limited, over all processes on the store, and gives the counts in their order. What is counted
   * may be lost when the store's machine fails. A store that has no such method is used by one process: it counts for
   * itself.
   */
  countUses?(uses: readonly Use[]): Promise<readonly Used[]>
  /** Writes something, to find out whether the store can be written now; rejects with the reason when it cannot. */
  check?(): Promise<void>
  /** The processes on the store and at most so many of their leases, for operators. */
  hosts?(maxLeases: number): Promise<StoreHosts>
  close(): Promise<void>
}
