/** How much of a peer's answer is taken. */
export interface CallLimits {
  /** The bytes of all its responses together. */
  readonly bytes: number
  /** The events of all its streams together. */
  readonly events: number
  /** Its parts. */
  readonly parts: number
  /** How deep its data may be nested. */
  readonly depth: number
  /** How many milliseconds it may be out of reach while it has a task of ours, such as for a restart. */
  readonly absenceMs: number
}

/** The limits of calls to peers when none are given. */
export const callLimits: CallLimits = {
  bytes: 16 * 1024 * 1024,
  events: 50_000,
  parts: 1_000,
  depth: 64,
  absenceMs: 60_000,
}
