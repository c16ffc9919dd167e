import type { Part } from '@cool-ai/beach-core'
import type { EventDraft } from '@cool-ai/beach-core/log'

/** A part that an event has brought to a turn, and its id. */
export interface SaidPart {
  readonly partId: string
  readonly part: Part
}

/** The part in an event: one that an actor said, or the result in a slot. */
export function saidPart(event: EventDraft): SaidPart | undefined {
  if (event.type === 'partReceived') return event.payload && { partId: event.partId, part: event.payload.part }
  if (event.type !== 'slotFilled' || event.payload?.part === undefined) return undefined
  return { partId: `${event.manifestId}.${event.slot}`, part: event.payload.part }
}
