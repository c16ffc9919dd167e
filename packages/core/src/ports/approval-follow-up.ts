import type { Originator } from '../originator.ts'
import type { PendingApproval } from './sessions.ts'

/** What is done while no approver has decided. Its time counts from the request, or back from where the request expires. */
export type ApprovalFollowUp = FollowUpTime & {
  /**
   * Another approver, who is asked too and may decide from then on. When it is left out, the people who were asked are
   * reminded. Undefined for a request that is not passed on to others.
   */
  readonly to?: Originator | ((pending: PendingApproval) => FollowUpTarget | Promise<FollowUpTarget>) | undefined
}

type FollowUpTarget = Originator | undefined
type FollowUpTime = { readonly afterMs: number } | { readonly beforeExpiryMs: number }
