import type { Part } from '@cool-ai/beach-core'
import type { Understood } from './caller.ts'

/**
 * What a part that came by A2A remembers of its message, under `metadata.a2a`: also what the caller understands, so that
 * it need not be said again when it asks for the task.
 */
export interface A2aMark extends Understood {
  readonly messageId: string
  /** The caller's own name for the context, where it has one. */
  readonly contextId?: string
  /** The task that the message goes on with; absent when it begins one. */
  readonly taskId?: string
  /** The type that the caller gave the part, where it is not the one that it has here. */
  readonly partType?: string
}

/** Reads the mark of a part; metadata can be anything, since people may write it too. */
export function markOf({ metadata }: Part): A2aMark | undefined {
  const { a2a } = metadata
  if (typeof a2a !== 'object' || a2a === null) return undefined
  const { messageId, contextId, taskId, consumes, catalogs } = a2a as Record<string, unknown>
  if (typeof messageId !== 'string') return undefined
  return {
    messageId,
    ...(typeof contextId === 'string' && { contextId }),
    ...(typeof taskId === 'string' && { taskId }),
    ...(Array.isArray(consumes) && { consumes: consumes.filter((name) => typeof name === 'string') }),
    ...(Array.isArray(catalogs) && { catalogs: catalogs.filter((name) => typeof name === 'string') }),
  }
}
