import { BeachError, type Approver, type Decision, type Principal, type Runtime, type Store } from '@cool-ai/beach-core'
import { sessionSlice, sliceState, type SessionLog } from '@cool-ai/beach-core/log'
import {
  atOnce,
  mayAccess,
  principalKey,
  type Decided,
  type Page,
  type PendingApproval,
  type SessionQuery,
} from '@cool-ai/beach-core/ports'
import { allowanceSlice } from './allowance-slice.ts'
import {
  approvalKeyOf,
  decideBatch,
  defaultApprovers,
  mayDecide,
  waitingKeyOf,
  type DecisionOutcome,
} from './approvals.ts'
import { Decisions, holdGrant, type MadeDecision } from './decisions.ts'

interface SessionApprovalsOptions {
  readonly store: Store
  readonly runtime: Runtime
  readonly log: SessionLog
  /** For going through all sessions: sessions in use stay in the cache of the other log. */
  readonly aside: SessionLog
  /** Who may decide, in sessions that were opened without a policy of their own. */
  readonly approvers?: readonly Approver[] | undefined
  /** How long a grant is held before it is written. */
  readonly grantHoldMs?: number | undefined
}

/** Approvals over all sessions: deciding them, listing those that wait, and taking allowances back. */
export class SessionApprovals {
  readonly #options: SessionApprovalsOptions
  readonly #approvers: readonly Approver[]
  readonly #decisions: Decisions

  constructor(options: SessionApprovalsOptions) {
    const { runtime, grantHoldMs = 0, approvers = defaultApprovers } = options
    this.#options = options
    this.#approvers = approvers
    this.#decisions = new Decisions(() => holdGrant(runtime.clock, grantHoldMs))
  }

  async decide(approvalId: string, decision: Decision, by: Principal, session?: string): Promise<Decided> {
    const { store, log } = this.#options
    const key = approvalKeyOf(approvalId)
    const [found] = await store.list(key, undefined, 1)
    if (found?.key !== key || (session !== undefined && found.value !== session)) return 'notFound'
    let made: MadeDecision = { ...decision, by }
    if ((decision.args ?? decision.allow) !== undefined && (await this.#mayDecide(found.value, approvalId, by))) {
      const { checkDecision } = await import('./check-decision.ts')
      made = { ...made, ...(await checkDecision(log, found.value, approvalId, decision)) }
    }
    const outcome = await this.#decisions.add(approvalId, made, (take) => this.#write(found.value, approvalId, take))
    // The index of what waits is a help for lists only; what is left in it is found to be decided.
    if (outcome === 'decided') await store.unbind(waitingKeyOf(by.tenant, approvalId))
    if (outcome !== 'mismatch') return outcome
    throw new BeachError('IDEMPOTENCY_MISMATCH', 'This key was used for another decision.')
  }

  async #mayDecide(session: string, approvalId: string, by: Principal): Promise<boolean> {
    return mayDecide((await this.#options.log.load(session)).state, approvalId, by, this.#approvers)
  }

  /** Writes the first decision of a batch that counts. */
  async #write(session: string, approvalId: string, take: () => readonly MadeDecision[]) {
    const now = this.#options.runtime.clock.now()
    let outcomes: ReadonlyMap<MadeDecision, DecisionOutcome> = new Map()
    await this.#options.log.commit(
      session,
      (state) => {
        const batch = decideBatch(state, approvalId, take(), { now, approvers: this.#approvers })
        outcomes = batch.outcomes
        return batch.drafts
      },
      { wakeAt: atOnce },
    )
    return outcomes
  }

  async pending(query: SessionQuery, by: Principal): Promise<Page<PendingApproval>> {
    const { pendingFor } = await import('./inbox.ts')
    const { store, aside: log } = this.#options
    return pendingFor(by, query, { store, log, approvers: this.#approvers })
  }

  /** Takes an allowance back; false when there is none, or `by` may not. */
  async revoke(session: string, approvalId: string, by: Principal): Promise<boolean> {
    let isRevoked = false
    await this.#options.log.commit(session, (state) => {
      const { owner } = sliceState(sessionSlice, state)
      const may = owner !== undefined && (mayAccess(owner, by) || mayDecide(state, approvalId, by, this.#approvers))
      isRevoked = may && sliceState(allowanceSlice, state).some((allowance) => allowance.approvalId === approvalId)
      return isRevoked ? [{ type: 'allowanceRevoked', approvalId, payload: { revokedBy: principalKey(by) } }] : []
    })
    return isRevoked
  }
}
