import { isDeepStrictEqual } from 'node:util'
import type { Envelope, Originator, Part, PartTypeRegistry, Runtime, TurnStateRegistry } from '@cool-ai/beach-core'
import type { EventDraft, LoggedEvent, SessionEvent, TurnSettled } from '@cool-ai/beach-core/log'
import { parsePartId } from '@cool-ai/beach-core/runtime'
import { buildEnvelope, finalSurfaces, planDelivery, type SurfaceTemplateRegistry } from '@cool-ai/beach-protocol/parts'
import { responsePart, voidPart } from '../approvals/approvals.ts'
import { turnInjections } from '../manifests/injections.ts'

export interface EnvelopeOfOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  readonly templates?: SurfaceTemplateRegistry | undefined
  /** Refuses a context whose `limits` would be taken for those of merging. */
  readonly limits?: never
}

export interface EnvelopeTarget {
  readonly session: string
  readonly turnId: string
  readonly to: Originator
  /** Ids of parts that the listener has already. */
  readonly without?: ReadonlySet<string>
}

interface CommittedPart {
  readonly partId: string
  /** -1 for parts from the mailbox, which belong to no step of the turn. */
  readonly step: number
  readonly part: Part
}

/** A settled turn's envelope, made from the log alone, with the parts that the listener may have. */
export function envelopeOf(
  events: readonly LoggedEvent[],
  place: EnvelopeTarget,
  { runtime, partTypes, turnStates, templates }: EnvelopeOfOptions,
): Envelope | undefined {
  const { said: all, settled } = turnContent(events, place)
  if (settled === undefined) return undefined
  // A failure that was overcome is no part of the answer.
  const said = all.filter(({ part }) => settled.turnState === 'error' || part.metadata.retryAt === undefined)
  const { at, id, turnState, finalizedBy } = settled
  const last = Math.max(-1, ...said.map(({ step }) => step))
  const partsOf = (keep: (step: number) => boolean) => said.filter(({ step }) => keep(step)).map(({ part }) => part)
  const envelope = buildEnvelope(
    {
      sessionId: place.session,
      turnId: place.turnId,
      eventId: id,
      originatorId: place.to.id,
      turnState,
      finalizedBy,
      mailbox: partsOf((step) => step < last),
      parts: partsOf((step) => step === last),
    },
    { partTypes, turnStates, templates, logger: runtime.logger, clock: { ...runtime.clock, now: () => at } },
  )
  const sent = said.filter(({ partId }) => place.without?.has(partId)).map(({ part }) => part)
  const left = envelope.parts.filter((part) => !sent.some((other) => isDeepStrictEqual(other, part)))
  const planned = planDelivery(left, place.to, partTypes)
  const parts = planned.map(({ part }) => part)
  // A stream has each update of a surface; an answer as a whole has what came of them.
  const isFinal = planned.some(
    ({ part, decision }) => part.metadata.partType === 'a2ui-surface' && decision === 'final-state',
  )
  return { ...envelope, parts: isFinal ? finalSurfaces(parts) : parts }
}

function turnContent(events: readonly LoggedEvent[], { turnId, without }: EnvelopeTarget) {
  const said: CommittedPart[] = []
  let settled: TurnSettled | undefined
  const injected: ReadonlySet<SessionEvent> = new Set(turnInjections(events, turnId))
  for (const { event } of events) {
    if (!('turnId' in event) || (event.turnId !== turnId && !injected.has(event))) continue
    if (event.type === 'turnSettled') settled = event
    else if (event.type === 'approvalDecided') said.push({ partId: event.id, step: -1, part: responsePart(event) })
    else if (event.type === 'approvalVoided') said.push({ partId: event.id, step: -1, part: voidPart(event) })
    else if (event.type !== 'slotFilled' || injected.has(event)) {
      const found = saidPart(event)
      if (found === undefined || (without?.has(found.partId) === true && !asks(found.part))) continue
      said.push({ ...found, step: parsePartId(found.partId)?.step ?? -1 })
    }
  }
  return { said, settled }
}

// Requests are needed to tell which surfaces belong to answered ones, also when they were sent before.
function asks({ metadata }: Part): boolean {
  return metadata.partType === 'approval-request'
}

/** A part that an event has brought to a turn, and its id. */
export interface SaidPart {
  readonly partId: string
  readonly part: Part
}

/** The part in an event: a part of an actor, or the result in a slot. */
export function saidPart(event: EventDraft): SaidPart | undefined {
  if (event.type === 'partReceived') return event.payload && { partId: event.partId, part: event.payload.part }
  if (event.type !== 'slotFilled' || event.payload?.part === undefined) return undefined
  return { partId: `${event.manifestId}.${event.slot}`, part: event.payload.part }
}
