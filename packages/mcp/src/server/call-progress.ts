import type { Part, PartTypeRegistry } from '@cool-ai/beach-core'
import type { ServerContext } from '@modelcontextprotocol/server'
import { isSupplement } from './answer-result.ts'

/** Tells the caller, if it wants to know, of what the agent says on its way to the answer. */
export function partProgress(
  { mcpReq }: ServerContext,
  partTypes: PartTypeRegistry,
): ((part: Part) => Promise<void>) | undefined {
  const notify = progressNotes({ mcpReq })
  if (notify === undefined) return undefined
  return async (part) => {
    if (!isSupplement(part, partTypes)) return
    const text = partTypes.get(part.metadata.partType)?.toText?.(part) ?? part.text
    if (text !== undefined) await notify(text)
  }
}

/** Sends a message as a progress notification; undefined when the caller has not asked for any. */
export function progressNotes({
  mcpReq,
}: Pick<ServerContext, 'mcpReq'>): ((message: string) => Promise<void>) | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  // The number must rise; the total is unknown.
  let progress = 0
  return async (message) => {
    progress += 1
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
  }
}
