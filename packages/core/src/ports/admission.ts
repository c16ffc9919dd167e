import type { Principal } from '../principal.ts'

/** What a turn has used. */
export interface TurnUsage {
  readonly turns?: number | undefined
  readonly tokens?: number | undefined
  /** In the currency of the prices that the actors were given. */
  readonly cost?: number | undefined
}

/**
 * The rights and limits that sessions ask about, whichever channel a caller came by. What is not allowed is refused by
 * throwing FORBIDDEN, what is too much by TOO_MANY.
 */
export interface SessionAdmission {
  /**
   * A message of so many bytes, by a channel where that is known. It waits only where it is not known yet what other
   * processes have counted today.
   */
  message(by: Principal, bytes: () => number, transport?: string): Promise<void> | undefined
  /** To be called once the session is known to be new; counts once, however often it is called. */
  opening(by: Principal): () => void
  /** True where there is a limit on what turns use: it is neither counted nor asked for otherwise. */
  readonly limitsUsage: boolean
  /** Counts what has been used for the owner of a session. */
  used(owner: Principal, usage: TurnUsage): void
  /** Why nothing more may be used for the owner of a session; undefined when it may. */
  spent(owner: Principal): string | undefined
}
