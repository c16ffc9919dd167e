import {
  parsePartId,
  type Envelope,
  type LoggedEvent,
  type Originator,
  type Part,
  type PartTypeRegistry,
  type Runtime,
  type TurnSettled,
  type TurnStateRegistry,
} from '@cool-ai/beach-core'
import { buildEnvelope, planDelivery, type SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { responsePart } from './approvals.ts'

export interface EnvelopeOfOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  readonly templates?: SurfaceTemplateRegistry
}

/** A settled turn's envelope, made from the log alone, with the parts that the listener may have. */
export function envelopeOf(
  events: readonly LoggedEvent[],
  place: { session: string; turnId: string; to: Originator },
  options: EnvelopeOfOptions,
): Envelope | undefined {
  const said: { step: number; part: Part }[] = []
  let settled: TurnSettled | undefined
  for (const { event } of events) {
    if (!('turnId' in event) || event.turnId !== place.turnId) continue
    if (event.type === 'turnSettled') settled = event
    else if (event.type === 'approvalDecided') said.push({ step: -1, part: responsePart(event) })
    else if (event.type === 'partReceived' && event.payload !== undefined) {
      said.push({ step: parsePartId(event.partId)?.step ?? -1, part: event.payload.part })
    }
  }
  if (settled === undefined) return undefined
  const { at, id, turnState, finalizedBy } = settled
  const last = Math.max(...said.map(({ step }) => step))
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
    { ...options, logger: options.runtime.logger, clock: { ...options.runtime.clock, now: () => at } },
  )
  return { ...envelope, parts: planDelivery(envelope.parts, place.to, options.partTypes).map(({ part }) => part) }
}
