import type { Injection } from '@cool-ai/beach-core'
import type { LoggedEvent, SessionEvent } from '@cool-ai/beach-core/log'
import { injectionId } from '../turn/turn-slice.ts'

type InjectionEvent = Extract<SessionEvent, { type: 'slotFilled' | 'manifestSettled' }>

/** True for the results that manifests bring to a turn. */
function isInjection(event: SessionEvent): event is InjectionEvent {
  return event.type === 'slotFilled' || event.type === 'manifestSettled'
}

/** An event of a manifest as actors see it. */
export function injectionOf(event: InjectionEvent): Injection {
  const { manifestId, name } = event
  if (event.type === 'manifestSettled') {
    return { kind: 'settled', manifestId, name, missing: event.missing, finalizedBy: event.finalizedBy }
  }
  const { slot, outcome, payload } = event
  return { kind: 'slot', manifestId, name, slot, outcome, ...payload }
}

/** The results that manifests brought to a turn: those that it began with, and those that came while it was open. */
export function turnInjections(events: readonly LoggedEvent[], turnId: string): InjectionEvent[] {
  const start = events.find(({ event }) => event.type === 'turnStarted' && event.turnId === turnId)?.event
  const taken = new Set(start?.type === 'turnStarted' ? start.messageIds : [])
  const end = events.find(({ event }) => event.type === 'turnSettled' && event.turnId === turnId)?.seq ?? Infinity
  return events.flatMap(({ seq, event }) => {
    if (!isInjection(event)) return []
    return taken.has(injectionId(event)) || (event.turnId === turnId && seq < end) ? [event] : []
  })
}

/**
 * True when a turn began with results of manifests that are not among these events: whatever is no message is a result.
 */
export function lacksInjections(events: readonly LoggedEvent[], turnId: string): boolean {
  const start = events.find(({ event }) => event.type === 'turnStarted' && event.turnId === turnId)?.event
  if (start?.type !== 'turnStarted') return false
  const known = new Set(turnInjections(events, turnId).map((event) => injectionId(event)))
  return start.messageIds.some((id) => !id.startsWith('msg_') && !known.has(id))
}
