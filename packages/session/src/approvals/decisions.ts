import { sleep, type Clock, type Decision, type Principal } from '@cool-ai/beach-core'
import type { ApprovalDecided } from '@cool-ai/beach-core/log'
import { keepAlive, yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import type { DecisionOutcome } from './approvals.ts'

/** A decision that is being made right now. */
export interface MadeDecision extends Decision {
  readonly by: Principal
  /** What it allows for the rest of the session, once that was checked. */
  readonly allowance?: ApprovalDecided['allow'] | undefined
}

/** Writes what is decided. `take` closes the batch and returns its decisions in the order in which they count. */
export type DecideBatch = (take: () => readonly MadeDecision[]) => Promise<ReadonlyMap<MadeDecision, DecisionOutcome>>

interface Batch {
  readonly made: MadeDecision[]
  outcomes: Promise<ReadonlyMap<MadeDecision, DecisionOutcome>>
}

/**
 * Decisions on one approval that arrive at the same moment are one batch, in which denials go first. A grant is held
 * for a moment before it is written, so that no denial loses to a grant that came at the same time by another channel,
 * or to another process. A denial needs no approver.
 */
export class Decisions {
  readonly #open = new Map<string, Batch>()
  readonly #hold: () => Promise<void>

  /** `hold` is how long a grant is held. */
  constructor(hold: () => Promise<void>) {
    this.#hold = hold
  }

  async add(approvalId: string, decision: MadeDecision, decide: DecideBatch): Promise<DecisionOutcome> {
    const batch = this.#open.get(approvalId) ?? this.#begin(approvalId, decision, decide)
    batch.made.push(decision)
    return (await batch.outcomes).get(decision) ?? 'notFound'
  }

  #begin(approvalId: string, { decision }: MadeDecision, decide: DecideBatch): Batch {
    const made: MadeDecision[] = []
    const close = () => {
      if (this.#open.get(approvalId) === batch) this.#open.delete(approvalId)
    }
    const take = () => {
      close()
      return made.toSorted((one, other) => rank(one) - rank(other))
    }
    const batch: Batch = { made, outcomes: Promise.resolve(new Map()) }
    // A grant opens a batch, which others join. A denial that finds none is written at once, and no grant with it.
    const isGrant = decision === 'granted'
    if (isGrant) this.#open.set(approvalId, batch)
    batch.outcomes = (isGrant ? this.#hold() : Promise.resolve()).then(() => decide(take)).finally(close)
    return batch
  }
}

function rank({ decision }: MadeDecision): number {
  return decision === 'denied' ? 0 : 1
}

/**
 * Waits until a denial that arrived at the same moment as a grant has been read, whatever channel it came by. What has
 * reached the process by the end of that time is read first, even when the process was busy all the while.
 */
export async function holdGrant(clock: Clock, ms: number): Promise<void> {
  if (ms === 0) return
  await keepAlive(sleep(clock, ms))
  for (let round = 0; round < 3; round++) await yieldToEventLoop()
}
