import type { Part as A2aPart } from '@a2a-js/sdk'
import type { Part } from '@cool-ai/beach-core'

type Metadata = A2aPart['metadata']

export function textPart(text: string, metadata: Metadata): A2aPart {
  return { content: { $case: 'text', value: text }, metadata, filename: '', mediaType: '' }
}

export function dataPart(data: unknown, metadata: Metadata, mediaType = 'application/json'): A2aPart {
  return { content: { $case: 'data', value: data }, metadata, filename: '', mediaType }
}

/** What is remembered of a message that came by A2A is ours, and goes nowhere. */
export function metadataOf({ metadata }: Part): Record<string, unknown> {
  const { a2a: _, ...rest } = metadata
  return rest
}
