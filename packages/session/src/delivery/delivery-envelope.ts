import { sliceState, type Envelope, type LoggedEvent, type Originator, type SessionLog } from '@cool-ai/beach-core'
import { planDelivery } from '@cool-ai/beach-protocol'
import { envelopeOf, type EnvelopeOfOptions } from '../envelope-of.ts'
import { readTurnEvents } from '../read-turn-events.ts'
import { saidPart } from '../said-part.ts'
import { deliverySlice, type Delivery } from './delivery-slice.ts'

/** What a delivery carries, made from the log alone: some parts of the turn, or its settled envelope without those. */
export async function deliveryEnvelope(
  log: SessionLog,
  session: string,
  delivery: Delivery,
  to: Originator,
  options: EnvelopeOfOptions,
): Promise<Envelope | undefined> {
  const { turnId, partIds, since, seq, back } = delivery
  if (partIds !== undefined) {
    const commit =
      back === undefined
        ? await readTurnEvents(log, session, turnId, since)
        : await log.read(session, seq - back - 1, back)
    return flushEnvelope(commit, { session, delivery, to, partIds }, options)
  }
  const events = await readTurnEvents(log, session, turnId, since)
  const { dead } = sliceState(deliverySlice, (await log.load(session, seq)).state)
  const without = sentBefore(events, delivery, new Set(dead.map(({ deliveryId }) => deliveryId)))
  return envelopeOf(events, { session, turnId, to, without }, options)
}

/** Ids of the parts of this turn that have reached this originator before: not those that were given up, or dropped. */
function sentBefore(
  events: readonly LoggedEvent[],
  { turnId, originatorId }: Delivery,
  dead: ReadonlySet<string>,
): ReadonlySet<string> {
  const waiting = new Map<string, readonly string[]>()
  const sent: string[] = []
  for (const { event } of events) {
    if (!('originatorId' in event) || event.originatorId !== originatorId) continue
    if (event.type === 'deliveryQueued' && event.turnId === turnId) waiting.set(event.deliveryId, event.partIds ?? [])
    else if (event.type === 'originatorLeft') waiting.clear()
    else if (event.type === 'deliverySent') {
      sent.push(...(waiting.get(event.deliveryId) ?? []))
      waiting.delete(event.deliveryId)
    }
  }
  // What still waited when the turn was settled has gone out since, or was given up: order is kept.
  for (const [deliveryId, partIds] of waiting) if (!dead.has(deliveryId)) sent.push(...partIds)
  return new Set(sent)
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
