import type { Inbound } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { contentHash } from '@cool-ai/beach-core/runtime'
import { a2uiActionOf, isPeer } from '@cool-ai/beach-protocol'

/** Names what somebody did on a surface, whenever they did it; undefined for messages that say anything else. */
export function pressOf({ from, parts }: Pick<Inbound, 'from' | 'parts'>): string | undefined {
  const [part, ...more] = parts
  const action = part === undefined || more.length > 0 ? undefined : a2uiActionOf(part)
  if (action === undefined) return undefined
  const { surfaceId, sourceComponentId, name, context } = action
  // A person's tabs and devices are one; what a peer asks for is told apart by its tasks.
  const who = isPeer(from) ? from.id : principalKey(from.principal)
  return contentHash([who, surfaceId, sourceComponentId, name, context])
}

/** The dedupe key of a message that is one action: a retry has the time of the first try. */
export function retryKeyOf({ parts }: Pick<Inbound, 'parts'>): string | undefined {
  const [part, ...more] = parts
  const action = part === undefined || more.length > 0 ? undefined : a2uiActionOf(part)
  if (action === undefined) return undefined
  const { surfaceId, sourceComponentId, name, context, timestamp } = action
  return `action:${contentHash([surfaceId, sourceComponentId, name, context, timestamp])}`
}
