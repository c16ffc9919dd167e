import type { Part } from '@cool-ai/beach-core'
import { approvalSurfacePrefix, readA2uiMessages, surfaceIds } from '@cool-ai/beach-protocol'

/** The approval that a part asks for, as a request or by its surface; undefined for other parts. */
export function approvalAskedBy(part: Part): string | undefined {
  return approvalIdOf(part) ?? approvalOfSurface(part)
}

/** The approval whose surface a part is. No other surface has an id that begins like theirs. */
export function approvalOfSurface({ data, metadata }: Part): string | undefined {
  if (metadata.partType !== 'a2ui-surface') return undefined
  const id = surfaceIds(readA2uiMessages(data) ?? []).find((surfaceId) => surfaceId.startsWith(approvalSurfacePrefix))
  return id?.slice(approvalSurfacePrefix.length)
}

function approvalIdOf({ data }: Part): string | undefined {
  if (typeof data !== 'object' || data === null || !('approvalId' in data)) return undefined
  return typeof data.approvalId === 'string' ? data.approvalId : undefined
}
