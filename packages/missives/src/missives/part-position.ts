import { isDeepStrictEqual } from 'node:util'
import type { Part } from '@cool-ai/beach-core'
import type { LoggedEvent, MessageReceived, SessionEvent } from '@cool-ai/beach-core/log'

/** Where a part stands in its session's log: the seq of an event, and which of that event's parts it is. */
export type PartPosition = readonly [seq: number, index: number]

/** Parts above this are not repeated in missives where the log has them. */
const maxRepeatedLength = 2_000

/** A message's parts, with what it proposed at its place. */
export function messageParts({ parts, proposed = [] }: NonNullable<MessageReceived['payload']>): readonly Part[] {
  const all = [...parts]
  for (const { index, part } of proposed) all.splice(index, 0, part)
  return all
}

/** The part in an event that can be sent by itself: one that an actor said, or the result in a slot. */
export function saidPart(event: SessionEvent): { partId: string; part: Part } | undefined {
  if (event.type === 'partReceived') return event.payload && { partId: event.partId, part: event.payload.part }
  if (event.type !== 'slotFilled' || event.payload?.part === undefined) return undefined
  return { partId: `${event.manifestId}.${event.slot}`, part: event.payload.part }
}

/** The part at a place; undefined when it was taken out of the log. */
export function partAt(event: SessionEvent, index: number): Part | undefined {
  if (event.type === 'messageReceived') return event.payload && messageParts(event.payload)[index]
  return saidPart(event)?.part
}

/** For each part that is large, where one of these events has the same. */
export function placesOf(
  parts: readonly Part[],
  events: readonly LoggedEvent[],
): readonly (PartPosition | undefined)[] | undefined {
  const places = parts.map((part) => (isLarge(part) ? placeOf(part, events) : undefined))
  return places.some((place) => place !== undefined) ? places : undefined
}

function isLarge(part: Part): boolean {
  return (part.text?.length ?? 0) > maxRepeatedLength || JSON.stringify(part).length > maxRepeatedLength
}

function placeOf(part: Part, events: readonly LoggedEvent[]): PartPosition | undefined {
  for (const { seq, event } of events) {
    const there =
      event.type === 'messageReceived' ? event.payload && messageParts(event.payload) : [saidPart(event)?.part]
    const index = there?.findIndex((one) => isDeepStrictEqual(one, part)) ?? -1
    if (index !== -1) return [seq, index]
  }
  return undefined
}
