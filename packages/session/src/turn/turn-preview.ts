import type { Envelope, Frame, Originator, Part, TurnState } from '@cool-ai/beach-core'
import type { LoggedEvent, PartReceived } from '@cool-ai/beach-core/log'
import type { TurnPreview } from '@cool-ai/beach-core/ports'
import { parsePartId, partId } from '@cool-ai/beach-core/runtime'
import type { LlmContextTranslator } from '@cool-ai/beach-protocol'
import { flushEnvelope } from '../delivery/delivery-envelope.ts'
import { dueNow } from '../delivery/queue-deliveries.ts'
import { envelopeOf, saidPart, type EnvelopeOfOptions, type SaidPart } from './envelope-of.ts'
import type { CanReceive } from '../feed/listening.ts'
import { framesOf } from '../feed/frames.ts'

export interface TurnPreviewOptions extends EnvelopeOfOptions {
  readonly translator?: LlmContextTranslator | undefined
  readonly llmContextLanguage?: string | undefined
  readonly reaches: CanReceive
}

type TurnHeader = Pick<TurnPreview, 'sessionId' | 'turnId' | 'owner' | 'pendingApprovals'>

/** A turn as it would go to listeners of any kind, from its events alone; undefined when they have no such turn. */
export async function turnPreview(
  logged: readonly LoggedEvent[],
  place: TurnHeader,
  options: TurnPreviewOptions,
): Promise<TurnPreview | undefined> {
  const { sessionId: session, turnId } = place
  const start = logged.find(({ event }) => event.type === 'turnStarted' && event.turnId === turnId)?.event
  if (start?.type !== 'turnStarted') return undefined
  const events = await withContext(logged, turnId, options)
  const { turnState, isSettled } = stateIn(events, turnId)
  return {
    ...place,
    turnState,
    isSettled,
    envelope: (to, without = new Set()) => envelopeOf(events, { session, turnId, to, without }, options),
    pushes: (to) => pushesTo(to, events, place, options),
    frames: (to) => framesTo(to, events, { turnId, messageIds: start.messageIds }, options.reaches),
  }
}

function stateIn(events: readonly LoggedEvent[], turnId: string): Pick<TurnPreview, 'turnState' | 'isSettled'> {
  let turnState: TurnState = 'awaiting'
  for (const { event } of events) {
    if (!('turnId' in event) || event.turnId !== turnId) continue
    if (event.type === 'turnSettled') return { turnState: event.turnState, isSettled: true }
    if (event.type === 'turnStateChanged') ({ turnState } = event)
    if (event.type === 'turnResumed') turnState = 'awaiting'
  }
  return { turnState, isSettled: false }
}

/** The events with the llm-context that would have been made for a peer, where the turn has none. */
async function withContext(
  events: readonly LoggedEvent[],
  turnId: string,
  { translator, llmContextLanguage: language, turnStates }: TurnPreviewOptions,
): Promise<readonly LoggedEvent[]> {
  const { turnState, isSettled } = stateIn(events, turnId)
  if (translator === undefined || !isSettled || turnStates.get(turnState)?.emitsEnvelope !== true) return events
  const parts = events.flatMap(({ event }) => partOf(event, turnId)?.part ?? [])
  if (parts.some(({ metadata }) => metadata.partType === 'llm-context')) return events
  const text = await translator.translate({ turnId, parts, language }, new AbortController().signal)
  return text === undefined ? events : inserted(events, turnId, { text, metadata: { partType: 'llm-context' } })
}

function partOf(event: LoggedEvent['event'], turnId: string): SaidPart | undefined {
  return 'turnId' in event && event.turnId === turnId ? saidPart(event) : undefined
}

/** Puts the translation where a step has it: after the actor's parts, before the surfaces that were made of them. */
function inserted(events: readonly LoggedEvent[], turnId: string, part: Part): readonly LoggedEvent[] {
  const last = events.findLastIndex(({ event }) => event.type === 'partReceived' && event.turnId === turnId)
  const place = events[last]?.event
  if (place?.type !== 'partReceived') return events
  const step = parsePartId(place.partId)?.step ?? 0
  let at = last + 1
  while (isSurface(events[at - 1]?.event)) at--
  const index = (parsePartId(place.partId)?.index ?? 0) + 1
  const event: PartReceived = {
    ...place,
    partId: partId(turnId, step, index),
    partType: 'llm-context',
    payload: { part },
  }
  return [...events.slice(0, at), { seq: events[last]?.seq ?? 0, event }, ...events.slice(at)]
}

function isSurface(event: LoggedEvent['event'] | undefined): boolean {
  return event?.type === 'partReceived' && event.partType === 'a2ui-surface'
}

/** The deliveries that would have been pushed, commit by commit, by the rules that queue deliveries. */
function pushesTo(
  to: Originator,
  events: readonly LoggedEvent[],
  { sessionId: session, turnId }: TurnHeader,
  options: EnvelopeOfOptions,
): readonly Envelope[] {
  const pushes: Envelope[] = []
  const sent = new Set<string>()
  let said: SaidPart[] = []
  for (const [index, { event }] of events.entries()) {
    const part = partOf(event, turnId)
    if (part !== undefined) said.push(part)
    if (event.type === 'turnSettled' && event.turnId === turnId) {
      const envelope = envelopeOf(events, { session, turnId, to, without: sent }, options)
      return envelope === undefined ? pushes : [...pushes, envelope]
    }
    if (!endsCommit(events, index, turnId)) continue
    const partIds = dueNow(said, to, options.partTypes).map((due) => due.partId)
    const envelope = partIds.length > 0 && flushEnvelope(events, { session, turnId, to, partIds }, options)
    if (envelope) pushes.push(envelope)
    for (const id of partIds) sent.add(id)
    said = []
  }
  return pushes
}

/** A step ends with the turn's state, unless the turn settles with it; a result of a manifest comes by itself. */
function endsCommit(events: readonly LoggedEvent[], index: number, turnId: string): boolean {
  const event = events[index]?.event
  if (event?.type === 'slotFilled') return event.turnId === turnId
  if (event?.type !== 'turnStateChanged' || event.turnId !== turnId) return false
  const next = events[index + 1]?.event
  return next?.type !== 'turnSettled' || next.turnId !== turnId
}

/** The frames of the turn, and of the messages that it answers. */
function framesTo(
  to: Originator,
  events: readonly LoggedEvent[],
  { turnId, messageIds }: { readonly turnId: string; readonly messageIds: readonly string[] },
  reaches: CanReceive,
): readonly Frame[] {
  return events
    .filter(({ event }) => {
      if (event.type === 'messageReceived') return messageIds.includes(event.messageId)
      return event.type !== 'stateChanged' && 'turnId' in event && event.turnId === turnId
    })
    .flatMap(framesOf)
    .filter((frame) => reaches(frame, to))
}
