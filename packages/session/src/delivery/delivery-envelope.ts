import type { Envelope, Originator, Part } from '@cool-ai/beach-core'
import type { LoggedEvent, SessionLog } from '@cool-ai/beach-core/log'
import { planDelivery } from '@cool-ai/beach-protocol/parts'
import { envelopeOf, saidPart, type EnvelopeOfOptions } from '../turn/envelope-of.ts'
import { readTurnEvents } from '../turn/turn-material.ts'
import type { Delivery } from './delivery-slice.ts'

/** What a delivery carries, made from the log alone: some parts of the turn, or its settled envelope without those. */
export async function deliveryEnvelope(
  log: SessionLog,
  session: string,
  delivery: Delivery,
  to: Originator,
  options: EnvelopeOfOptions,
): Promise<Envelope | undefined> {
  const { turnId, partIds, since, seq, back, followsUp } = delivery
  if (partIds !== undefined) {
    const commit =
      back === undefined
        ? await readTurnEvents(log, session, turnId, since)
        : await log.read(session, seq - back - 1, back)
    if (followsUp !== undefined && isDecided(commit, followsUp.approvalId)) return undefined
    return flushEnvelope(commit, { session, turnId, to, partIds, followsUp }, options)
  }
  const events = await readTurnEvents(log, session, turnId, since)
  return envelopeOf(events, { session, turnId, to, without: sentBefore(events, delivery) }, options)
}

/**
 * Ids of the parts of this turn that went to this originator before, without those that were dropped when it left. A
 * dead letter counts too: some attempt may have reached the other side, and an operator can send it again.
 */
function sentBefore(events: readonly LoggedEvent[], { turnId, originatorId }: Delivery): ReadonlySet<string> {
  const waiting = new Map<string, readonly string[]>()
  const sent: string[] = []
  for (const { event } of events) {
    if (!('originatorId' in event) || event.originatorId !== originatorId) continue
    if (event.type === 'deliveryQueued' && event.turnId === turnId) waiting.set(event.deliveryId, event.partIds ?? [])
    else if (event.type === 'originatorLeft') waiting.clear()
    else if (event.type === 'deliverySent' || event.type === 'deliveryFailed') {
      if (event.type === 'deliveryFailed' && event.nextAt !== undefined) continue
      sent.push(...(waiting.get(event.deliveryId) ?? []))
      waiting.delete(event.deliveryId)
    }
  }
  return new Set([...sent, ...[...waiting.values()].flat()])
}

/** True when a request needs no decision any more. */
function isDecided(events: readonly LoggedEvent[], approvalId: string): boolean {
  return events.some(({ event }) => {
    return (event.type === 'approvalDecided' || event.type === 'approvalVoided') && event.approvalId === approvalId
  })
}

/** Some parts of a turn, as they go out before it has settled. */
export function flushEnvelope(
  events: readonly LoggedEvent[],
  place: {
    session: string
    turnId: string
    to: Originator
    partIds: readonly string[]
    followsUp?: Delivery['followsUp']
  },
  { partTypes }: Pick<EnvelopeOfOptions, 'partTypes'>,
): Envelope | undefined {
  const { session, turnId, to, partIds, followsUp } = place
  const said = events.flatMap(({ event }) => {
    const found = saidPart(event)
    return found !== undefined && partIds.includes(found.partId) ? [{ event, part: found.part }] : []
  })
  const last = said.at(-1)?.event
  if (last === undefined) return undefined
  const turnState = last.type === 'partReceived' ? last.turnState : 'awaiting'
  const parts = planDelivery(
    said.map(({ part, event }) => (followsUp === undefined ? part : followingUp(part, followsUp, event.at))),
    to,
    partTypes,
  ).map(({ part }) => part)
  const producedAt = new Date(last.at).toISOString()
  const meta = {
    sessionId: session,
    turnId,
    eventId: last.id,
    originatorId: to.id,
    producedAt,
    turnState,
  }
  return { role: 'agent', parts, meta }
}

/** The request as it is asked again, or of another approver. */
function followingUp(part: Part, { kind, number }: NonNullable<Delivery['followsUp']>, askedAt: number): Part {
  const since = new Date(askedAt).toISOString()
  return { ...part, metadata: { ...part.metadata, followUp: { kind, number, since } } }
}
