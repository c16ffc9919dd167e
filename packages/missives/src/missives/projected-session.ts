import type { DeliveryClass, Originator, Part, Principal } from '@cool-ai/beach-core'
import type { ManifestSettled, SlotFilled } from '@cool-ai/beach-core/log'
import type { Address } from '../identities/address.ts'

/** What is known of an originator: nothing of what its channel needs to reach it, which may be secret. */
export interface KnownOriginator {
  readonly id: string
  readonly transport: string
  readonly deliveryClass: DeliveryClass
  readonly principal: Pick<Principal, 'kind' | 'id'>
  readonly consumes?: readonly string[]
  readonly addresses: readonly Address[]
}

/** A message, or a result that came after its turn, that no turn has taken yet. */
interface Waiting {
  readonly id: string
  readonly seq: number
  /** Whom an answer to it is for. */
  readonly originators: readonly string[]
}

/** The turn that is open, or the one that settled last. */
export interface ProjectedTurn {
  readonly turnId: string
  /** All that it needs comes from here on. */
  readonly since: number
  /** Whom it answers. */
  readonly originators: readonly string[]
  /** Ids of the parts that were sent before it settled, by whom they went to. */
  readonly flushed: readonly { readonly to: string; readonly partIds: readonly string[] }[]
  readonly setState: readonly Part[]
  readonly turnState?: string
}

/** What must be known of a session to read on in its log. Plain JSON. */
export interface ProjectedSession {
  readonly tenant?: string
  readonly owner?: Address
  readonly originators: readonly KnownOriginator[]
  readonly waiting: readonly Waiting[]
  readonly turn?: ProjectedTurn
  /** When the last thing happened. */
  readonly lastAt: number
  /** Made anew up to this seq, after something was taken out of the log. */
  readonly redoneUpTo?: number
}

export const newSession: ProjectedSession = { originators: [], waiting: [], lastAt: 0 }

export function knownOriginator(from: Originator, addresses: readonly Address[]): KnownOriginator {
  const { id, transport, deliveryClass, principal, consumes } = from
  const { kind, id: name } = principal
  return { id, transport, deliveryClass, principal: { kind, id: name }, ...(consumes && { consumes }), addresses }
}

export function withWaiting(state: ProjectedSession, waiting: Waiting): ProjectedSession {
  return { ...state, waiting: [...state.waiting, waiting] }
}

/** A result that comes after its turn begins another one, which answers its requesters. */
export function withResult(
  state: ProjectedSession,
  event: SlotFilled | ManifestSettled,
  seq: number,
): ProjectedSession {
  const { turn } = state
  const isOpen = turn?.turnId === event.turnId && turn.turnState === undefined
  if (isOpen || (event.type === 'manifestSettled' && event.finalizedBy === 'cancelled')) return state
  const id = event.type === 'slotFilled' ? `${event.manifestId}.${event.slot}` : event.manifestId
  return withWaiting(state, { id, seq, originators: event.originators })
}

/** A turn takes what waits. */
export function withTurn(
  state: ProjectedSession,
  turnId: string,
  messageIds: readonly string[],
  seq: number,
): ProjectedSession {
  const taken = state.waiting.filter(({ id }) => messageIds.includes(id))
  const waiting = state.waiting.filter(({ id }) => !messageIds.includes(id))
  const originators = [...new Set(taken.flatMap((entry) => entry.originators))]
  const since = Math.min(seq, ...taken.map((entry) => entry.seq))
  return { ...state, waiting, turn: { turnId, since, originators, flushed: [], setState: [] } }
}

/** Changes the turn, if it is this one. */
export function inTurn(
  state: ProjectedSession,
  turnId: string,
  change: (turn: ProjectedTurn) => Partial<ProjectedTurn>,
): ProjectedSession {
  const { turn } = state
  return turn?.turnId === turnId ? { ...state, turn: { ...turn, ...change(turn) } } : state
}

/** Ids of the turn's parts that a listener has got already. */
export function flushedTo(turn: ProjectedTurn, originatorId: string): readonly string[] {
  return turn.flushed.find(({ to }) => to === originatorId)?.partIds ?? []
}

/** The originator as an envelope is made for it; what it may have does not depend on who it is. */
export function listenerOf({ id, transport, deliveryClass, consumes }: KnownOriginator, tenant: string): Originator {
  const principal: Principal = { kind: 'operator', id: 'missives', tenant }
  return { id, transport, deliveryClass, principal, ...(consumes && { consumes }) }
}
