import type { Originator } from '@cool-ai/beach-core'
import type { LoggedEvent } from '@cool-ai/beach-core/log'
import type { ListenerTurn } from '@cool-ai/beach-core/ports'
import { explainDelivery } from '@cool-ai/beach-protocol/parts'
import { getsTurn, type DeliveryState } from '../delivery/delivery-slice.ts'
import type { DeliveryRulesContext } from '../delivery/queue-deliveries.ts'
import { turnInjections } from '../manifests/injections.ts'
import { envelopeOf, saidPart, type EnvelopeOfOptions } from '../turn/envelope-of.ts'

interface TurnListenersContext {
  readonly session: string
  readonly turnId: string
  readonly originators: DeliveryState['originators']
  readonly options: EnvelopeOfOptions & Pick<DeliveryRulesContext, 'channels'>
}

/** What each originator gets of a turn, and why it does not get the rest; undefined when the events have no such turn. */
export function turnListeners(
  events: readonly LoggedEvent[],
  context: TurnListenersContext,
): readonly ListenerTurn[] | undefined {
  const { turnId, originators } = context
  const start = events.find(({ event }) => event.type === 'turnStarted' && event.turnId === turnId)?.event
  if (start?.type !== 'turnStarted') return undefined
  const answered = new Set(
    events.flatMap(({ event }) => {
      return event.type === 'messageReceived' && start.messageIds.includes(event.messageId) ? [event.originatorId] : []
    }),
  )
  const asksApproval = events.some(({ event }) => event.type === 'approvalRequested' && event.turnId === turnId)
  return Object.values(originators).flatMap((entry) => {
    const { originator } = entry
    if (originator === undefined) return []
    const isAddressed = getsTurn(entry, { isAnswered: answered.has(originator.id), asksApproval })
    const notSentBecause = entry.hears === undefined ? notAddressed : onlyApprovals
    return [listenerTurn(events, originator, isAddressed ? undefined : notSentBecause, context)]
  })
}

const notAddressed = 'It neither listens to the whole session nor wrote a message that the turn answers.'
const onlyApprovals = 'It joined for approvals, and the turn asks for none.'

function listenerTurn(
  events: readonly LoggedEvent[],
  to: Originator,
  notSentBecause: string | undefined,
  { session, turnId, options }: TurnListenersContext,
): ListenerTurn {
  const isPushed = options.channels.has(to.transport)
  const injected = new Set(turnInjections(events, turnId))
  const said = events.flatMap(({ event }) => {
    const isOfTurn = 'turnId' in event && event.turnId === turnId
    return isOfTurn || injected.has(event as never) ? (saidPart(event) ?? []) : []
  })
  const because = isPushed ? notSentBecause : undefined
  const isRecipient = because === undefined
  return {
    originatorId: to.id,
    transport: to.transport,
    deliveryClass: to.deliveryClass,
    way: isPushed ? 'push' : 'pull',
    isRecipient,
    because,
    parts: said.map(({ partId, part }) => {
      return { partId, partType: part.metadata.partType, ...explainDelivery(part, to, options.partTypes) }
    }),
    envelope: isRecipient ? envelopeOf(events, { session, turnId, to }, options)?.parts : undefined,
  }
}
