import type { Approver, Principal, Store } from '@cool-ai/beach-core'
import { sliceState, type SessionLog } from '@cool-ai/beach-core/log'
import type { Page, PendingApproval, SessionQuery } from '@cool-ai/beach-core/ports'
import { pendingApprovals, turnSlice } from '../turn/turn-slice.ts'
import { mayDecide, waitingKeyOf } from './approvals.ts'
import { findRequest } from './find-request.ts'

interface InboxContext {
  readonly store: Store
  readonly log: SessionLog
  readonly approvers: readonly Approver[]
}

const maxLimit = 100
/** The requests that are looked at for one page: an approver of few need not wait until all of them were read. */
const maxScanned = 500

/** What waits for a principal's decision, over all sessions of their tenant, the oldest first. */
export async function pendingFor(
  by: Principal,
  { after, limit = 50 }: SessionQuery,
  context: InboxContext,
): Promise<Page<PendingApproval>> {
  const prefix = waitingKeyOf(by.tenant, '')
  const max = Math.min(limit, maxLimit)
  const items: PendingApproval[] = []
  let position = after === undefined ? undefined : prefix + after
  for (let scanned = 0; scanned < maxScanned;) {
    const entries = await context.store.list(prefix, position, maxLimit)
    for (const { key, value: session } of entries) {
      const approvalId = key.slice(prefix.length)
      const found = await pendingIn(session, approvalId, by, context)
      if (found !== undefined) items.push(found)
      position = key
      scanned++
      if (items.length === max) return { items, next: approvalId }
    }
    if (entries.length < maxLimit) return { items }
  }
  return { items, next: position?.slice(prefix.length) }
}

/** The request, if it still waits and the principal may decide it. The index forgets what no longer waits. */
async function pendingIn(
  session: string,
  approvalId: string,
  by: Principal,
  { store, log, approvers }: InboxContext,
): Promise<PendingApproval | undefined> {
  const { state } = await log.load(session)
  const { turn, closedApprovals } = sliceState(turnSlice, state)
  const entry = turn && pendingApprovals(turn).find((approval) => approval.approvalId === approvalId)
  if (turn === undefined || entry === undefined) {
    const isClosed = [...(turn?.approvals ?? []), ...closedApprovals].some((known) => known.approvalId === approvalId)
    // An open turn that does not know it may be about to: the index has a request before the log has.
    if (turn === undefined || isClosed) await store.unbind(waitingKeyOf(by.tenant, approvalId))
    return undefined
  }
  if (!mayDecide(state, approvalId, by, approvers)) return undefined
  const found = await findRequest(log, session, turn, approvalId)
  const { requestedAt, expiresAt } = entry
  return found && { approvalId, sessionId: session, turnId: turn.turnId, requestedAt, expiresAt, part: found.part }
}
