import type { Slice } from '@cool-ai/beach-core'
import type { ApprovalDecided } from '@cool-ai/beach-core/log'
import type { Allowance, Amount } from '@cool-ai/beach-core/ports'

const maxAllowances = 50

/** What approvers have allowed for the rest of the session, the oldest first. */
export const allowanceSlice: Slice<readonly Allowance[]> = {
  ns: 'allowances',
  version: 1,
  initial: [],
  folds: ['approvalDecided', 'allowanceRevoked'],
  fold(state, event) {
    switch (event.type) {
      case 'approvalDecided':
        return used(allowed(state, event), event)
      case 'allowanceRevoked':
        return state.filter(({ approvalId }) => approvalId !== event.approvalId)
      default:
        return state
    }
  },
}

function allowed(state: readonly Allowance[], { approvalId, allow }: ApprovalDecided): readonly Allowance[] {
  if (allow === undefined) return state
  return [...state, { approvalId, ...allow, used: 0 }].slice(-maxAllowances)
}

function used(state: readonly Allowance[], { allowance }: ApprovalDecided): readonly Allowance[] {
  if (allowance === undefined) return state
  return state.map((one) =>
    one.approvalId === allowance.approvalId ? { ...one, used: one.used + allowance.value } : one,
  )
}

/** The allowance that covers a call, if one does: of the same tool and, where it has a sum, with enough of that left. */
export function coveringAllowance(
  allowances: readonly Allowance[],
  tool: string,
  amount: Amount | undefined,
): Allowance | undefined {
  return allowances.find((allowance) => {
    if (allowance.tool !== tool) return false
    const { upTo } = allowance
    if (upTo === undefined) return amount === undefined
    return amount?.currency === upTo.currency && amount.value >= 0 && amount.value <= upTo.value - allowance.used
  })
}
