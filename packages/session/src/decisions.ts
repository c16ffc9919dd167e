import type { Decision, Principal } from '@cool-ai/beach-core'
import type { DecisionOutcome } from './repeated-decision.ts'

/** A decision that somebody is making right now. */
export interface MadeDecision extends Decision {
  readonly by: Principal
}

/** Writes what is decided. `take` closes the batch and returns its decisions in the order in which they count. */
export type DecideBatch = (take: () => readonly MadeDecision[]) => Promise<ReadonlyMap<MadeDecision, DecisionOutcome>>

interface Batch {
  readonly made: MadeDecision[]
  outcomes: Promise<ReadonlyMap<MadeDecision, DecisionOutcome>>
}

/** Decisions on one approval that come while the first of them is not yet being written are one batch: denials go first. */
export class Decisions {
  readonly #open = new Map<string, Batch>()

  async add(approvalId: string, decision: MadeDecision, decide: DecideBatch): Promise<DecisionOutcome> {
    const batch = this.#open.get(approvalId) ?? this.#begin(approvalId, decide)
    batch.made.push(decision)
    return (await batch.outcomes).get(decision) ?? 'notFound'
  }

  #begin(approvalId: string, decide: DecideBatch): Batch {
    const made: MadeDecision[] = []
    const close = () => {
      if (this.#open.get(approvalId) === batch) this.#open.delete(approvalId)
    }
    const take = () => {
      close()
      return made.toSorted((one, other) => rank(one) - rank(other))
    }
    const batch: Batch = { made, outcomes: Promise.resolve(new Map()) }
    this.#open.set(approvalId, batch)
    // Not before all have come that are here at the same time.
    batch.outcomes = Promise.resolve()
      .then(() => decide(take))
      .finally(close)
    return batch
  }
}

function rank({ decision }: MadeDecision): number {
  return decision === 'denied' ? 0 : 1
}
