import { isDeepStrictEqual } from 'node:util'
import type { Originator, Slice } from '@cool-ai/beach-core'
import type { DeliveryQueued, OriginatorJoined, SessionEvent } from '@cool-ai/beach-core/log'
import { endOf, withEntry, type Wait, defined } from '@cool-ai/beach-core/runtime'

/** A participant of the conversation. */
interface OriginatorEntry {
  /** Absent when the data was erased: then nothing can be sent any more. */
  readonly originator?: Originator
  /** True when it joined: it gets more than the answers to its own messages. */
  readonly listens: boolean
  /** It joined for approvals only. */
  readonly hears?: 'approvals'
  /** The seq of the last delivery that it got. */
  readonly cursor?: number
}

/** Something that is to be sent, and has not been. */
export interface Delivery extends Pick<
  DeliveryQueued,
  'deliveryId' | 'turnId' | 'originatorId' | 'since' | 'partIds' | 'back' | 'followsUp' | 'trace'
> {
  readonly seq: number
  readonly queuedAt: number
  readonly attempts: number
  /** When it is tried next, and when that was planned. */
  readonly nextAt: number
  readonly plannedAt?: number
  /** Why it was given up. */
  readonly reason?: string
}

export interface DeliveryState {
  readonly originators: Readonly<Record<string, OriginatorEntry>>
  /** In the order in which each originator is to get them. */
  readonly pending: readonly Delivery[]
  readonly dead: readonly Delivery[]
}

const maxDeadLetters = 100
export const maxPending = 200

/** The participants of the conversation, and the deliveries on their way to them. */
export const deliverySlice: Slice<DeliveryState> = {
  ns: 'delivery',
  version: 4,
  initial: { originators: {}, pending: [], dead: [] },
  fold(state, event, seq) {
    switch (event.type) {
      case 'messageReceived':
        return withOriginator(state, event.originatorId, { originator: event.payload?.from })
      case 'originatorJoined':
        return event.approvalId === undefined
          ? joined(state, event)
          : withOriginator(state, event.originatorId, { originator: event.payload?.originator })
      case 'originatorLeft':
        return left(state, event.originatorId)
      case 'dataErased':
        if (event.scope === 'session') return deliverySlice.initial
        return (event.payload?.originatorIds ?? []).reduce(left, state)
      case 'deliveryQueued':
        return { ...state, pending: [...state.pending, queued(event, seq)] }
      case 'deliverySent':
        return sent(state, event)
      case 'deliveryFailed':
        return failed(state, event)
      case 'deliveryRetried':
        return retried(state, event)
      default:
        return state
    }
  },
  // What is due already is in progress, and must not hide what falls due meanwhile.
  nextWakeAt: (state, after, now) => {
    if (state.pending.length === 0) return undefined
    const times = nextDeliveries(state)
      .map((delivery) => endOf(delayOf(delivery), now))
      .filter((time) => time > after)
    return times.length === 0 ? undefined : Math.min(...times)
  },
}

/** How long it waits to be tried. */
export function delayOf({ nextAt, plannedAt = -Infinity }: Delivery): Wait {
  return { since: plannedAt, until: nextAt }
}

/** For each originator the one delivery that comes next: the others wait for it, so that order is kept. */
export function nextDeliveries({ pending, originators }: DeliveryState): readonly Delivery[] {
  if (pending.length === 0) return pending
  const first = new Map<string, Delivery>()
  for (const delivery of pending) {
    const known = Object.hasOwn(originators, delivery.originatorId)
    if (known && !first.has(delivery.originatorId)) first.set(delivery.originatorId, delivery)
  }
  return [...first.values()]
}

/** The oldest deliveries of originators for whom more wait than are kept. */
export function surplusDeliveries({ pending }: DeliveryState): readonly Delivery[] {
  if (pending.length <= maxPending) return []
  const waiting = new Map<string, number>()
  for (const { originatorId } of pending) waiting.set(originatorId, (waiting.get(originatorId) ?? 0) + 1)
  return pending.filter(({ originatorId }) => {
    const count = waiting.get(originatorId) ?? 0
    waiting.set(originatorId, count - 1)
    return count > maxPending
  })
}

/** Whether an originator gets a turn: one that it is answered by or, when it joined, any that it hears. */
export function getsTurn(
  { listens, hears }: Pick<OriginatorEntry, 'listens' | 'hears'>,
  turn: { readonly isAnswered: boolean; readonly asksApproval: boolean },
): boolean {
  return turn.isAnswered || (listens && (hears === undefined || turn.asksApproval))
}

function withOriginator(
  state: DeliveryState,
  originatorId: string,
  { originator }: { originator: Originator | undefined },
): DeliveryState {
  return withChanged(state, originatorId, (before) => ({
    ...before,
    originator: originator ?? before?.originator,
    listens: before?.listens === true,
  }))
}

/** It hears what it joined for last. */
function joined(state: DeliveryState, { originatorId, hears, payload }: OriginatorJoined): DeliveryState {
  return withChanged(state, originatorId, (before) => {
    return { ...before, originator: payload?.originator ?? before?.originator, listens: true, hears }
  })
}

function withChanged(
  state: DeliveryState,
  originatorId: string,
  change: (before: OriginatorEntry | undefined) => Loose<OriginatorEntry>,
): DeliveryState {
  const before = Object.hasOwn(state.originators, originatorId) ? state.originators[originatorId] : undefined
  const entry = defined(change(before))
  if (isDeepStrictEqual(entry, before)) return state
  return { ...state, originators: withEntry(state.originators, originatorId, entry) }
}

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined } & { readonly listens: boolean }

function left(state: DeliveryState, originatorId: string): DeliveryState {
  const originators = Object.fromEntries(Object.entries(state.originators).filter(([id]) => id !== originatorId))
  return { ...state, originators, pending: state.pending.filter((delivery) => delivery.originatorId !== originatorId) }
}

function queued(event: DeliveryQueued, seq: number): Delivery {
  const { deliveryId, turnId, originatorId, since, partIds, back, followsUp, trace, at } = event
  const flush = defined({ partIds, back, followsUp, trace })
  return {
    deliveryId,
    turnId,
    originatorId,
    since,
    ...flush,
    seq,
    queuedAt: at,
    attempts: 0,
    nextAt: at,
    plannedAt: at,
  }
}

type Outcome = Extract<SessionEvent, { type: 'deliverySent' | 'deliveryFailed' | 'deliveryRetried' }>

function without(deliveries: readonly Delivery[], { deliveryId }: Outcome): Delivery[] {
  return deliveries.filter((delivery) => delivery.deliveryId !== deliveryId)
}

function sent(state: DeliveryState, event: Outcome): DeliveryState {
  const delivery = state.pending.find(({ deliveryId }) => deliveryId === event.deliveryId)
  if (delivery === undefined) return state
  const { originators } = state
  const entry = originators[event.originatorId]
  const moved = entry && withEntry(originators, event.originatorId, { ...entry, cursor: delivery.seq })
  return { ...state, originators: moved ?? originators, pending: without(state.pending, event) }
}

function failed(state: DeliveryState, event: Extract<SessionEvent, { type: 'deliveryFailed' }>): DeliveryState {
  const { deliveryId, attempt, nextAt } = event
  const delivery = state.pending.find((entry) => entry.deliveryId === deliveryId)
  if (delivery === undefined) return state
  if (nextAt === undefined) {
    const why = event.payload === undefined ? {} : { reason: event.payload.reason }
    const dead = [...state.dead, { ...delivery, attempts: attempt, nextAt: event.at, ...why }].slice(-maxDeadLetters)
    return { ...state, pending: without(state.pending, event), dead }
  }
  const pending = state.pending.map((entry) =>
    entry.deliveryId === deliveryId ? { ...entry, attempts: attempt, nextAt, plannedAt: event.at } : entry,
  )
  return { ...state, pending }
}

function retried(state: DeliveryState, event: Extract<SessionEvent, { type: 'deliveryRetried' }>): DeliveryState {
  const delivery = state.dead.find(({ deliveryId }) => deliveryId === event.deliveryId)
  if (delivery === undefined) return state
  const { reason: _, ...again } = delivery
  const pending = [...state.pending, { ...again, attempts: 0, nextAt: event.at, plannedAt: event.at }]
  return { ...state, pending, dead: without(state.dead, event) }
}
