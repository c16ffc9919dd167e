import type { Envelope, LoggedEvent, Originator, SessionLog } from '@cool-ai/beach-core'
import { planDelivery } from '@cool-ai/beach-protocol'
import { envelopeOf, type EnvelopeOfOptions } from '../envelope-of.ts'
import { readTurnEvents } from '../read-turn-events.ts'
import { saidPart } from '../said-part.ts'
import type { Delivery } from './delivery-slice.ts'

/** What a delivery carries, made from the log alone: some parts of the turn, or its settled envelope without those. */
export async function deliveryEnvelope(
  log: SessionLog,
  session: string,
  delivery: Delivery,
  to: Originator,
  options: EnvelopeOfOptions,
): Promise<Envelope | undefined> {
  const { turnId, partIds, since } = delivery
  const events = await readTurnEvents(log, session, turnId, since)
  if (partIds !== undefined) return flushEnvelope(events, { session, delivery, to, partIds }, options)
  const sent = sentBefore(events, delivery)
  return envelopeOf(events, { session, turnId, to, without: sent }, options)
}

/** Ids of the parts of this turn that went out to this originator before the turn was settled. */
function sentBefore(events: readonly LoggedEvent[], { turnId, originatorId }: Delivery): ReadonlySet<string> {
  const ids = events.flatMap(({ event }) => {
    const same = event.type === 'deliveryQueued' && event.turnId === turnId && event.originatorId === originatorId
    return same ? (event.partIds ?? []) : []
  })
  return new Set(ids)
}

function flushEnvelope(
  events: readonly LoggedEvent[],
  place: { session: string; delivery: Delivery; to: Originator; partIds: readonly string[] },
  { partTypes }: EnvelopeOfOptions,
): Envelope | undefined {
  const { session, delivery, to, partIds } = place
  const said = events.flatMap(({ event }) => {
    const found = saidPart(event)
    return found !== undefined && partIds.includes(found.partId) ? [{ event, part: found.part }] : []
  })
  const last = said.at(-1)?.event
  if (last === undefined) return undefined
  const turnState = last.type === 'partReceived' ? last.turnState : 'awaiting'
  const parts = planDelivery(
    said.map(({ part }) => part),
    to,
    partTypes,
  ).map(({ part }) => part)
  const producedAt = new Date(last.at).toISOString()
  const meta = {
    sessionId: session,
    turnId: delivery.turnId,
    eventId: last.id,
    originatorId: to.id,
    producedAt,
    turnState,
  }
  return { role: 'agent', parts, meta }
}
