import type { StreamPart } from '@cool-ai/beach-protocol/stream'
import { isFields } from './fields.ts'

const maxDepth = 20

/** Data parts with those of the same slot in one, at the place of the first: what the slot holds now. */
export function converged(parts: readonly StreamPart[]): readonly StreamPart[] {
  const slots = new Map<string, StreamPart>()
  for (const part of parts) {
    const key = slotOf(part)
    if (key !== undefined) slots.set(key, joined(slots.get(key), part))
  }
  if (slots.size === 0) return parts
  const shown = new Set<string>()
  return parts.flatMap((part) => {
    const key = slotOf(part)
    if (key === undefined) return [part]
    const value = slots.get(key)
    if (value === undefined || shown.has(key)) return []
    shown.add(key)
    return [value]
  })
}

function slotOf({ partType, metadata }: StreamPart): string | undefined {
  return partType === 'domain-data' ? metadata.slotKey : undefined
}

/** The later part in the place of the earlier one, whose id it keeps. */
function joined(existing: StreamPart | undefined, part: StreamPart): StreamPart {
  if (existing === undefined) return part
  return { ...part, partId: existing.partId, data: merged(existing.data, part) } as StreamPart
}

function merged(existing: unknown, { data, metadata }: StreamPart): unknown {
  if (metadata.mergeStrategy === 'append') return [...asList(existing), ...asList(data)]
  return metadata.mergeStrategy === 'deep-merge' ? deepMerged(existing, data, maxDepth) : data
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function deepMerged(existing: unknown, data: unknown, depth: number): unknown {
  if (depth === 0 || !isFields(existing) || !isFields(data)) return data
  const result = new Map(Object.entries(existing))
  for (const [key, value] of Object.entries(data)) result.set(key, deepMerged(result.get(key), value, depth - 1))
  return Object.fromEntries(result)
}
