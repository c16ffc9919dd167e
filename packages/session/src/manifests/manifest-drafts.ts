import type { Part } from '@cool-ai/beach-core'
import type { EventDraft, SlotFilled } from '@cool-ai/beach-core/log'
import { missingSlots, type OpenManifest, type SlotEntry } from './manifest-slice.ts'

/** What came of the work for a slot. */
export type SlotOutcome =
  | { readonly outcome: 'ok'; readonly part: Part }
  | { readonly outcome: 'failed' | 'unknown'; readonly reason: string }

/** A slot gets its result, and the manifest settles when that was the last one. */
export function filledDrafts(manifest: OpenManifest, slot: SlotEntry, result: SlotOutcome): EventDraft[] {
  const { outcome, ...payload } = result
  const missing = missingSlots(manifest)
  if (!missing.some((entry) => entry.slot === slot.slot)) return []
  const filled: Omit<SlotFilled, 'id' | 'v' | 'at'> = {
    type: 'slotFilled',
    ...lineage(manifest),
    slot: slot.slot,
    outcome,
    payload,
  }
  return missing.length > 1 ? [filled] : [filled, manifestSettledDraft(manifest, 'complete', [])]
}

/** The manifest settles without what is missing. */
export function manifestSettledDraft(
  manifest: OpenManifest,
  finalizedBy: 'complete' | 'deadline' | 'cancelled',
  missing: readonly string[] = missingSlots(manifest).map(({ slot }) => slot),
): EventDraft {
  return { type: 'manifestSettled', ...lineage(manifest), missing, finalizedBy }
}

function lineage({ turnId, manifestId, name, actor, originators, depth }: OpenManifest) {
  return { turnId, manifestId, name, actor, originators, depth }
}
