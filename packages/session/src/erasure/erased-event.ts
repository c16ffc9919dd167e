import type { Originator, Runtime } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { principalKey } from '@cool-ai/beach-core/ports'

/** Names for originators in place of their ids, which may say who they are. */
export type Renames = ReadonlyMap<string, string>

const gone = 'gone_'

/** A name that identifies no person. */
export function goneName(runtime: Runtime): string {
  return runtime.id('gone')
}

export function isGone(originatorId: string): boolean {
  return originatorId.startsWith(gone)
}

/** What is left of an event: its structure. No content of people, and nothing that identifies them. */
export function erasedEvent(event: SessionEvent, renames: Renames): SessionEvent {
  // Callers choose these ids.
  const { payload: _, dedupeKey: __, externalId: ___, answers: ____, ...header } = event as Loose
  const content = 'contentHash' in header ? { contentHash: '' } : {}
  return renamed({ ...header, ...content }, renames)
}

type Loose = SessionEvent & { payload?: unknown; dedupeKey?: unknown; externalId?: unknown; answers?: unknown }

/** The event with other names for these originators. */
export function renamed(event: SessionEvent, renames: Renames): SessionEvent {
  const name = (id: string): string => renames.get(id) ?? id
  const changed: Record<string, unknown> = {}
  if ('originatorId' in event && renames.has(event.originatorId)) {
    changed.originatorId = name(event.originatorId)
    if ('deliveryId' in event) changed.deliveryId = deliveryName(event.deliveryId, event.originatorId, name)
  }
  if ('client' in event && event.client !== undefined) changed.client = name(event.client)
  if ('originators' in event) changed.originators = event.originators.map(name)
  return { ...event, ...changed }
}

/** The id of a delivery ends with whom it is for. */
function deliveryName(deliveryId: string, originatorId: string, name: (id: string) => string): string {
  const end = `:${originatorId}`
  return deliveryId.endsWith(end) ? `${deliveryId.slice(0, -end.length)}:${name(originatorId)}` : deliveryId
}

/** What is left of an event that is only too old: who is in the session, and that there was a message. */
export function agedEvent(event: SessionEvent): SessionEvent {
  if (event.type === 'sessionOpened' || event.type === 'originatorJoined') return event
  if (event.type === 'messageReceived' && event.payload !== undefined) {
    const { from, parts, proposed } = event.payload
    if (parts.length === 0 && proposed === undefined) return event
    return { ...event, payload: { from, parts: [] } }
  }
  if (!('payload' in event)) return event
  const { payload: _, ...header } = event
  return header
}

/** The originator that an event brings, if its content is still there. */
export function originatorIn(event: SessionEvent): Originator | undefined {
  if (event.type === 'messageReceived') return event.payload?.from
  return event.type === 'originatorJoined' ? event.payload?.originator : undefined
}

/** The principal who caused an event, by its key, where it is on record. */
export function doneBy(event: SessionEvent): string | undefined {
  if (event.type === 'approvalDecided') return event.payload?.decidedBy
  if (event.type === 'allowanceRevoked') return event.payload?.revokedBy
  if (!('payload' in event) || event.payload === undefined || !('by' in event.payload)) return undefined
  return event.payload.by && principalKey(event.payload.by)
}
