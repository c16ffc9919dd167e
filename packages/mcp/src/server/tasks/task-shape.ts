import type { CallToolResult, InputRequests } from '@modelcontextprotocol/server'

/** The extension's name among the capabilities of clients and servers. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** What the extension says of every task. */
export interface TaskBase {
  readonly taskId: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
  readonly ttlMs: number | null
  readonly pollIntervalMs: number
}

/** The status of a task, with the fields that belong to it. */
export type TaskStatus =
  | { readonly status: 'working' | 'cancelled'; readonly statusMessage?: string }
  | { readonly status: 'input_required'; readonly statusMessage?: string; readonly inputRequests: InputRequests }
  | {
      readonly status: 'completed'
      readonly statusMessage?: string
      readonly result: CallToolResult & { readonly resultType: 'complete' }
    }

export type DetailedTask = TaskBase & TaskStatus
