import type { Part, Slice } from '@cool-ai/beach-core'
import type { EventDraft, ManifestOpened, SessionEvent, SlotFilled, SlotHeader } from '@cool-ai/beach-core/log'
import { mergedOrigins, type SlotState } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'

/** A slot of an open manifest. */
export interface SlotEntry extends SlotHeader {
  readonly state: SlotState
}

/** A manifest that has not settled; the arguments of its slots are in the log, at `seq`. */
export interface OpenManifest extends Pick<
  ManifestOpened,
  'manifestId' | 'name' | 'turnId' | 'actor' | 'originators' | 'depth' | 'deadline' | 'trace' | 'origins'
> {
  readonly seq: number
  readonly openedAt: number
  readonly slots: readonly SlotEntry[]
}

export type ManifestState = Readonly<Record<string, OpenManifest>>

/** The open manifests of a session. */
export const manifestSlice: Slice<ManifestState> = {
  ns: 'manifests',
  version: 3,
  initial: {},
  folds: ['manifestOpened', 'slotStarted', 'slotFilled', 'manifestSettled'],
  fold(state, event, seq) {
    switch (event.type) {
      case 'manifestOpened':
        return { ...state, [event.manifestId]: opened(event, seq) }
      case 'slotStarted':
        return withSlot(state, event, 'running')
      case 'slotFilled':
        return withSlot(state, event, event.outcome)
      case 'manifestSettled': {
        const { [event.manifestId]: _, ...rest } = state
        return rest
      }
      default:
        return state
    }
  },
  // The host that claims the session continues what is open.
  nextWakeAt: (state) => (Object.keys(state).length > 0 ? 0 : undefined),
}

/** The slots that still have no result. */
export function missingSlots({ slots }: OpenManifest): SlotEntry[] {
  return slots.filter(({ state }) => state === 'waiting' || state === 'running')
}

function opened(event: ManifestOpened, seq: number): OpenManifest {
  const { manifestId, name, turnId, actor, originators, depth, deadline, trace, origins, at, slots } = event
  return defined({
    manifestId,
    name,
    turnId,
    actor,
    originators,
    depth,
    deadline,
    trace,
    origins,
    seq,
    openedAt: at,
    slots: slots.map((slot): SlotEntry => ({ ...slot, state: 'waiting' })),
  })
}

function withSlot(
  state: ManifestState,
  { manifestId, slot }: Extract<SessionEvent, { type: 'slotStarted' | 'slotFilled' }>,
  next: SlotState,
): ManifestState {
  const manifest = state[manifestId]
  if (manifest === undefined) return state
  const slots = manifest.slots.map((entry) => (entry.slot === slot ? { ...entry, state: next } : entry))
  return { ...state, [manifestId]: { ...manifest, slots } }
}

/** The outcome of the work for a slot. */
export type SlotOutcome =
  | { readonly outcome: 'ok'; readonly part: Part; readonly origins?: readonly string[] | undefined }
  | {
      readonly outcome: 'failed' | 'unknown'
      readonly reason: string
      readonly origins?: readonly string[] | undefined
    }

/** A slot gets its result, and the manifest settles when that was the last one. */
export function filledDrafts(manifest: OpenManifest, slot: SlotEntry, result: SlotOutcome): EventDraft[] {
  const { outcome, origins: said, ...payload } = result
  const origins = mergedOrigins(manifest.origins, said)
  const missing = missingSlots(manifest)
  if (!missing.some((entry) => entry.slot === slot.slot)) return []
  const filled: Omit<SlotFilled, 'id' | 'v' | 'at'> = {
    type: 'slotFilled',
    ...lineage(manifest),
    slot: slot.slot,
    outcome,
    ...(origins.length > 0 && { origins }),
    payload,
  }
  return missing.length > 1 ? [filled] : [filled, manifestSettledDraft(manifest, 'complete', [])]
}

/** The manifest settles without the missing results. */
export function manifestSettledDraft(
  manifest: OpenManifest,
  finalizedBy: 'complete' | 'deadline' | 'cancelled',
  missing: readonly string[] = missingSlots(manifest).map(({ slot }) => slot),
): EventDraft {
  return { type: 'manifestSettled', ...lineage(manifest), missing, finalizedBy }
}

function lineage({ turnId, manifestId, name, actor, originators, depth, trace }: OpenManifest) {
  return defined({ turnId, manifestId, name, actor, originators, depth, trace })
}
