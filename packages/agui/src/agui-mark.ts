import type { Part } from '@cool-ai/beach-core'

/** What a part that came by AG-UI remembers of its run, under `metadata.agui`. */
export interface AguiMark {
  readonly runId: string
  /** The client's own id of the message that the part is of. */
  readonly messageId?: string
}

/** Reads the mark of a part; metadata can be anything, since people may write it too. */
export function aguiMarkOf({ metadata }: Part): AguiMark | undefined {
  const { agui } = metadata
  if (typeof agui !== 'object' || agui === null) return undefined
  const { runId, messageId } = agui as Record<string, unknown>
  if (typeof runId !== 'string') return undefined
  return { runId, ...(typeof messageId === 'string' && { messageId }) }
}
