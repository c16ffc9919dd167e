import type { Principal } from '../principal.ts'
import type { BoundKey, Store } from './store.ts'

/** How long records are kept, in milliseconds; `Infinity` keeps them for ever. */
export interface RecordTimes {
  /** Records of what is over: decided approvals, dead letters, messages that were put aside, marks of mails. */
  readonly recordsMs: number
  /** Records that lead from a mail to its conversation, counted from the last activity there. */
  readonly threadsMs: number
}

/** What a session's log tells about whether something of it is still needed. */
export interface SessionActivity {
  readonly tenant: string
  /** Absent when the session was erased. */
  readonly owner?: Principal | undefined
  /** When the last event happened. */
  readonly lastAt: number
  /** True when nothing has happened since it was opened. */
  readonly isEmpty: boolean
  /** True when something is in progress: a turn, a waiting message, work in parallel to turns, a delivery, a timer. */
  readonly isBusy: boolean
  readonly pendingApprovals: readonly string[]
}

/** What a rule may look at. */
export interface RetentionContext {
  readonly now: number
  readonly store: Pick<Store, 'list'>
  /** Undefined for a session that does not exist. */
  readonly activity: (session: string) => Promise<SessionActivity | undefined>
}

/** Keys of the store that begin alike, and when one of them may go. */
export interface KeyRetention {
  readonly prefix: string
  /** Younger keys stay. */
  readonly keepMs: number
  /** Whether an older key is needed nevertheless; without this none is. Several processes may ask at the same time. */
  isNeeded?(key: BoundKey, context: RetentionContext): Promise<boolean>
}
