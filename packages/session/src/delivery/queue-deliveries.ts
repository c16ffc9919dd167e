import type { Channel, DeliveryDecision, Originator, PartTypeRegistry, TurnStateRegistry } from '@cool-ai/beach-core'
import { sliceState, type EventDraft, type SessionState } from '@cool-ai/beach-core/log'
import { planDelivery } from '@cool-ai/beach-protocol/parts'
import { saidPart, type SaidPart } from '../turn/envelope-of.ts'
import { traceOf, turnSlice } from '../turn/turn-slice.ts'
import { deliverySlice, getsTurn, type DeliveryState } from './delivery-slice.ts'

/** What decides on deliveries. */
export interface DeliveryRulesContext {
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  readonly channels: ReadonlyMap<string, PushChannel>
}

/** A channel that sends by itself, without being asked. */
export type PushChannel = Pick<Channel, 'push' | 'reaches'> & Required<Pick<Channel, 'send'>>

type QueuedDraft = Extract<EventDraft, { type: 'deliveryQueued' }>

const maxWaitingFlushes = 50
const flushed: ReadonlySet<DeliveryDecision> = new Set(['flush'])
const asTheyCome: ReadonlySet<DeliveryDecision> = new Set(['flush', 'delta', 'once', 'url-reference'])

function isPushing(channel: Channel): channel is Channel & PushChannel {
  return channel.send !== undefined
}

/** The channels that can push, by their transports. */
export function pushChannels(channels: readonly Channel[] = []): ReadonlyMap<string, PushChannel> {
  const pushing = channels.flatMap((channel) => {
    return isPushing(channel) ? [[channel.transport, channel] as const] : []
  })
  return new Map(pushing)
}

/**
 * The deliveries that a commit of a turn queues for push originators: in the middle of the turn the parts that their
 * rules flush, at its settlement one envelope with everything else. They are decided in the same commit as the parts,
 * so none is forgotten.
 */
export function deliveryDrafts(
  state: SessionState,
  drafts: readonly EventDraft[],
  context: DeliveryRulesContext,
): EventDraft[] {
  const { turn, recent } = sliceState(turnSlice, state)
  const delivery = sliceState(deliverySlice, state)
  // A result may arrive while another turn runs: it belongs to the turn that will take it.
  const own = drafts.filter((draft) => 'turnId' in draft && draft.turnId === turn?.turnId)
  const parts = own.flatMap((draft) => saidPart(draft) ?? [])
  const settled = own.find((draft) => draft.type === 'turnSettled')
  if (turn === undefined || (parts.length === 0 && settled === undefined)) return []
  const since = recent.at(-1)?.seq ?? 0
  const trace = traceOf(turn)
  const asksApproval = turn.approvals.length > 0 || own.some(({ type }) => type === 'approvalRequested')
  return recipients(delivery, { answered: turn.originators, asksApproval }, context)
    .flatMap((to): QueuedDraft[] => {
      const queued = { type: 'deliveryQueued' as const, turnId: turn.turnId, originatorId: to.id, since }
      const place = trace === undefined ? queued : { ...queued, trace }
      if (settled !== undefined) return [{ ...place, deliveryId: `${turn.turnId}:settled:${to.id}` }]
      const partIds = dueNow(parts, to, context.partTypes).map(({ partId }) => partId)
      const [first] = partIds
      if (first === undefined || isBehind(to, delivery)) return []
      return [{ ...place, deliveryId: `${turn.turnId}:${first}:${to.id}`, partIds }]
    })
    .map((draft, index) => ({ ...draft, back: drafts.length + index }))
}

/** A listener that does not keep up gets the rest of the turn with its settled envelope. */
function isBehind({ id, deliveryClass }: Originator, { pending }: DeliveryState): boolean {
  if (deliveryClass !== 'streaming') return false
  return pending.filter(({ originatorId }) => originatorId === id).length >= maxWaitingFlushes
}

/** The originators that get a turn, among those that are pushed to. */
export function recipients(
  { originators }: DeliveryState,
  { answered, asksApproval }: { readonly answered: readonly string[]; readonly asksApproval: boolean },
  { channels }: Pick<DeliveryRulesContext, 'channels'>,
): Originator[] {
  return Object.entries(originators).flatMap(([id, entry]) => {
    const { originator } = entry
    const channel = originator && channels.get(originator.transport)
    if (originator === undefined || channel === undefined || !isReached(channel, originator)) return []
    return getsTurn(entry, { isAnswered: answered.includes(id), asksApproval }) ? [originator] : []
  })
}

/** A channel that does not know whether it can reach an address finds out when it sends. */
function isReached(channel: PushChannel, to: Originator): boolean {
  try {
    return channel.reaches?.(to) !== false
  } catch {
    return true
  }
}

/** What goes to this originator before the turn is settled. */
export function dueNow(parts: readonly SaidPart[], to: Originator, partTypes: PartTypeRegistry): SaidPart[] {
  const immediate = to.deliveryClass === 'streaming' ? asTheyCome : flushed
  return parts.filter(({ part }) => {
    const [planned] = planDelivery([part], to, partTypes)
    return planned !== undefined && immediate.has(planned.decision)
  })
}
