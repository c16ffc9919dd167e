import type { Decided } from '@cool-ai/beach-core/ports'
import { asAgentError } from '../reliability/agent-error.ts'
import type { Approval, Decision } from './approvals.ts'

/** An approval with what was decided about it here. */
export interface OwnApproval extends Approval {
  /** What was decided here; the agent may not have it yet. */
  readonly mine?: Decision
  /** False for one that only others may decide; absent until the agent has said so. */
  readonly isOwn?: boolean
  /** Why a decision of this page did not count. */
  readonly problem?: string
  /** True when another decision may count: what was wrong with the first one can be mended here, or may pass. */
  readonly mayTryAgain?: boolean
}

type Made = Pick<OwnApproval, 'mine' | 'problem' | 'mayTryAgain'>

/** Whether it still waits for a decision, as far as this page knows, or for the one that is on its way. */
export function isUndecided({ outcome, problem, mayTryAgain }: OwnApproval): boolean {
  return outcome === undefined && (problem === undefined || mayTryAgain === true)
}

/** The decisions that were made here, until the agent confirms them, and why one did not count. */
export class OwnDecisions {
  readonly #onChange: () => void
  readonly #made = new Map<string, Made>()

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** True from when a decision was made here until it turns out that it did not count. */
  isMade(approvalId: string): boolean {
    return this.#made.get(approvalId)?.mine !== undefined
  }

  /** Notes a decision while it is sent; one that fails or does not count stays, with the reason. */
  async decide(approvalId: string, mine: Decision, send: () => Promise<Decided>): Promise<Decided> {
    this.#note(approvalId, { mine })
    try {
      const decided = await send()
      const problem = problems[decided]
      if (problem !== undefined) this.#note(approvalId, { problem })
      return decided
    } catch (cause) {
      const error = asAgentError(cause)
      const mayTryAgain = error.retryable || error.code === 'BAD_REQUEST'
      this.#note(approvalId, { problem: error.message, mayTryAgain })
      throw error
    }
  }

  /** The approvals of a conversation, with what was decided here. */
  with(approvals: readonly Approval[]): readonly OwnApproval[] {
    return approvals.map((approval) => ({ ...approval, ...this.#made.get(approval.approvalId) }))
  }

  #note(approvalId: string, made: Made): void {
    this.#made.set(approvalId, made)
    this.#onChange()
  }
}

const problems: Readonly<Partial<Record<Decided, string>>> = {
  expired: 'This was not decided in time; it counts as denied.',
  notFound: 'This is not yours to decide.',
}
