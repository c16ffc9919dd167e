import type { Principal } from '../principal.ts'

/** What is to be on record, so that an auditor can tell later who saw, decided, changed or erased something. */
export interface AuditRecord {
  /** Who did it; `agent` for the agent itself, and `unknown` for a caller who is not known. */
  readonly by: Principal | 'agent' | 'unknown'
  /** Of whom it is, where that does not follow from who did it. */
  readonly tenant?: string | undefined
  readonly kind: 'look' | 'act' | 'refused'
  /** Such as `session.events`, `approval.decide` or `logout`. */
  readonly what: string
  readonly session?: string | undefined
  /** No words of a person: it is never erased. */
  readonly detail?: string | undefined
}

/** The record of an agent, which nothing changes or erases. It is written when the promise resolves. */
export interface Audit {
  record(entry: AuditRecord): Promise<void>
}
