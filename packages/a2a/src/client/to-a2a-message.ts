import { Role, type Message, type Part as A2aPart } from '@a2a-js/sdk'
import type { Part } from '@cool-ai/beach-core'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'

/** What is to be sent. */
export interface OutgoingMessage {
  /** The same for the same message, however often it is sent. */
  readonly messageId: string
  readonly parts: readonly Part[]
  readonly taskId?: string | undefined
  readonly contextId?: string | undefined
  readonly metadata: Readonly<Record<string, unknown>>
}

/** A message of ours as A2A has it. */
export function toA2aMessage({ messageId, parts, taskId, contextId, metadata }: OutgoingMessage): Message {
  return {
    messageId,
    contextId: contextId ?? '',
    taskId: taskId ?? '',
    role: Role.ROLE_USER,
    parts: parts.map(toA2aPart),
    metadata: { ...metadata },
    extensions: [BEACH_EXTENSION_URI],
    referenceTaskIds: [],
  }
}

function toA2aPart({ text, data, metadata }: Part): A2aPart {
  const place = { metadata: { ...metadata }, filename: '' }
  if (text !== undefined) return { content: { $case: 'text', value: text }, ...place, mediaType: 'text/plain' }
  const mediaType = typeof metadata.mimeType === 'string' ? metadata.mimeType : 'application/json'
  return { content: { $case: 'data', value: data }, ...place, mediaType }
}
