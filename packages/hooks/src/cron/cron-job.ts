import type { Approver, AuthoredPart, Originator, Principal } from '@cool-ai/beach-core'

/** A time at which a job runs. */
export interface CronTick {
  readonly job: string
  /** The time that the pattern names, in milliseconds, not the time at which the job ran. */
  readonly at: number
  /** How many ticks were left out since the last run. */
  readonly skipped: number
}

/** A job: its message to the agent, and its times. */
export interface CronJob {
  /** Five fields, such as `0 8 * * MON`, or a name such as `@daily`. */
  readonly cron: string
  /** Such as `Europe/Berlin`; UTC when left out. */
  readonly timezone?: string | undefined
  /** Whether each run is a conversation of its own, or all are one. */
  readonly session: 'new' | 'same'
  readonly parts:
    | readonly AuthoredPart[]
    | ((tick: CronTick) => readonly AuthoredPart[] | Promise<readonly AuthoredPart[]>)
  /** Which ticks are run later at which no process ran: none, only the last one, or all; the last one when left out. */
  readonly missed?: 'skip' | 'last' | 'all' | undefined
  /** In whose name it runs: the user `cron:<job>` when left out. */
  readonly principal?: Omit<Principal, 'tenant'> | undefined
  /** Who may decide approvals of its sessions; the agent's own policy when left out. */
  readonly approvers?: readonly Approver[] | undefined
  /** The originators that answers are sent to, such as `callbackOriginator` makes. */
  readonly to?: readonly Originator[] | undefined
}

/** Jobs by their names. */
export type CronJobs = Readonly<Record<string, CronJob>>
