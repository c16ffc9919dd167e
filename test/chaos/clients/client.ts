import type { Balancer } from '../balancer.ts'
import type { Ledger } from '../ledger.ts'
import type { Script, Transcript } from '../script.ts'

/** What every client needs. */
export interface ClientContext {
  readonly balancer: Balancer
  readonly ledger: Ledger
  /** Ends a run that takes too long. */
  readonly signal: AbortSignal
}

/** A conversation that has ended for its client; `read` reads all of it again once the faults are over. */
export interface Held {
  readonly read: (signal: AbortSignal) => Promise<Transcript>
}

/** Holds a conversation to its end, over whatever faults there are. */
export type Client = (script: Script, context: ClientContext) => Promise<Held>
