import { EventType, type CustomEvent } from '@ag-ui/core'

/** Something that a client should know of its run, and that is no part of the answer. */
export interface RunWarning {
  readonly code: string
  readonly message: string
  readonly interruptId?: string
  readonly toolCallId?: string
}

export function warningEvent(notice: RunWarning): CustomEvent {
  return { type: EventType.CUSTOM, name: 'beach.notice', value: notice }
}
