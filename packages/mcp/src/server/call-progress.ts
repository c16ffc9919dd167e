import type { Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { progressSchema, type Progress } from '@cool-ai/beach-protocol'
import type { ServerContext } from '@modelcontextprotocol/server'
import { isSupplement } from './answer-result.ts'
import { ProgressCount } from './progress-count.ts'

/** Tells the caller, if it wants to know, of what the agent says on its way to the answer. */
export function partProgress(
  { mcpReq }: ServerContext,
  partTypes: PartTypeRegistry,
): ((part: Part) => Promise<void>) | undefined {
  const notify = progressNotes({ mcpReq })
  if (notify === undefined) return undefined
  return async (part) => {
    if (!isSupplement(part, partTypes)) return
    const { partType } = part.metadata
    const text = partTypes.get(partType)?.toText?.(part) ?? part.text
    if (text === undefined) return
    await notify(text, partType === 'progress' ? progressSchema.safeParse(part.data).data : undefined)
  }
}

/** Sends a message as a progress notification, with the numbers of what it counts. */
type Notify = (message: string, counted?: Progress) => Promise<void>

/** Undefined when the caller has not asked for notifications. */
export function progressNotes({ mcpReq }: Pick<ServerContext, 'mcpReq'>): Notify | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  const count = new ProgressCount()
  return async (message, counted) => {
    const params = { progressToken, ...count.next(counted), message }
    await mcpReq.notify({ method: 'notifications/progress', params })
  }
}
