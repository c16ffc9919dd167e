import type { Part } from '@cool-ai/beach-core'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import { fromPeerPart, type PartDefaults } from './from-peer-part.ts'

const max = 20

/**
 * Parts that a Beach peer sends besides its answer, in the metadata of a status: acknowledgements, thoughts, progress.
 */
export function signalParts(metadata: Readonly<Record<string, unknown>> | undefined, place: PartDefaults): Part[] {
  const given = metadata?.[`${BEACH_EXTENSION_URI}/parts`]
  return Array.isArray(given) ? given.slice(0, max).flatMap((value: unknown) => jsonPart(value, place) ?? []) : []
}

/** A foreign part in our form, with text or data, and metadata. */
export function jsonPart(value: unknown, place: PartDefaults): Part | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { text, data, metadata } = value as { text?: unknown; data?: unknown; metadata?: unknown }
  const content =
    typeof text === 'string' ? { $case: 'text' as const, value: text } : { $case: 'data' as const, value: data }
  const said = typeof metadata === 'object' && metadata !== null ? { ...metadata } : undefined
  return fromPeerPart({ content, metadata: said, filename: '', mediaType: '' }, place)
}
