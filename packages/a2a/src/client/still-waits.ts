import type { Task } from '@a2a-js/sdk'
import type { CallLimits, IsOver } from '@cool-ai/beach-channel/peers'
import { approvalResponseSchema } from '@cool-ai/beach-protocol'
import { TaskFold } from './task-fold.ts'
import type { OutgoingMessage } from './to-a2a-message.ts'

/**
 * Whether a task still waits for exactly this message: for this decision or, when it is none, for an answer that the
 * task's history does not have yet.
 */
export function stillWaits(
  task: Task,
  { messageId, parts }: OutgoingMessage,
  { peer, limits, isOver }: { readonly peer: string; readonly limits: CallLimits; readonly isOver: IsOver },
): boolean {
  const fold = new TaskFold(peer, limits, isOver)
  fold.take({ payload: { $case: 'task', value: task } })
  const decided = parts.flatMap(({ data, metadata }) => {
    if (metadata.partType !== 'approval-response') return []
    return approvalResponseSchema.safeParse(data).data?.approvalId ?? []
  })
  if (decided.length > 0) {
    const open = fold.state === 'suspended' ? fold.result().approvals : []
    return open.some(({ approvalId }) => decided.includes(approvalId))
  }
  const isAsking = fold.state === 'clarifying' || fold.state === 'unauthorized'
  return isAsking && !task.history.some((message) => message.messageId === messageId)
}
