import { TaskState, type TaskStatus } from '@a2a-js/sdk'
import type { CallState } from '@cool-ai/beach-channel/peers'

/** What a task's state means for its caller; undefined while the peer still works. */
export function callStateOf(status: TaskStatus | undefined, isSuspended: () => boolean): CallState | undefined {
  switch (status?.state) {
    case TaskState.TASK_STATE_COMPLETED:
      return 'complete'
    case TaskState.TASK_STATE_FAILED:
      return 'error'
    case TaskState.TASK_STATE_CANCELED:
      return 'cancelled'
    case TaskState.TASK_STATE_REJECTED:
      return 'refused'
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      return 'unauthorized'
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return isSuspended() ? 'suspended' : 'clarifying'
    default:
      return undefined
  }
}

/** Whether the peer goes on only when it is told something. */
export function waitsForUs(state: CallState | undefined): boolean {
  return state === 'clarifying' || state === 'suspended' || state === 'unauthorized'
}

/** What a text in a status message is, when its peer does not say. */
export function statusTextType(status: TaskStatus | undefined): string {
  switch (callStateOf(status, () => false)) {
    case 'complete':
      return 'response'
    case 'clarifying':
    case 'unauthorized':
      return 'clarify'
    case 'error':
    case 'refused':
    case 'cancelled':
      return 'error'
    default:
      return 'thinking'
  }
}
