import type { SurfaceAction } from '../../renderer/renderer.ts'

// The action and the id of the surface that is made for an approval.
const approvalAction = 'approval.decide'
const approvalSurfacePrefix = 'approval-'

/** The user's decision, where an action decides something. */
export interface Decision {
  readonly approvalId: string
  readonly decision: unknown
}

/**
 * The decision in an action: only the surface that was made for an approval decides it. What another surface calls so is
 * refused; it could show anything.
 */
export function decisionFromAction({ name, surfaceId, context }: SurfaceAction['action']): Decision | undefined {
  if (name !== approvalAction) return undefined
  const { approvalId, decision } = context
  if (typeof approvalId !== 'string' || surfaceId !== `${approvalSurfacePrefix}${approvalId}`) {
    throw new Error('This surface was not made for that decision.')
  }
  return { approvalId, decision }
}
