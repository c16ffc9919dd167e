import type { Part } from '@cool-ai/beach-core'

/** The page's own id of the message that a part is of, kept under `metadata.aiSdk`. */
export function chatMarkOf({ metadata }: Part): string | undefined {
  const { aiSdk } = metadata
  if (typeof aiSdk !== 'object' || aiSdk === null || !('messageId' in aiSdk)) return undefined
  return typeof aiSdk.messageId === 'string' ? aiSdk.messageId : undefined
}
