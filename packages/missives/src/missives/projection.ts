import { isDeepStrictEqual } from 'node:util'
import type {
  DataErased,
  DeliveryQueued,
  Envelope,
  LoggedEvent,
  ManifestSettled,
  MessageReceived,
  Originator,
  Part,
  SessionEvent,
  SlotFilled,
} from '@cool-ai/beach-core'
import { principalAddress, type Address } from '../identities/address.ts'
import { derivedId } from './ids.ts'
import type { MissiveChange } from './missive-store.ts'
import type { Missive, MissiveDelivery } from './missive.ts'
import {
  listenerOf,
  newSession,
  type KnownOriginator,
  type ProjectedSession,
  type ProjectedTurn,
} from './projected-session.ts'

/** What a projection needs besides the events. */
export interface ProjectionWorld {
  /** A settled turn's envelope as an originator may have it, without the parts of these ids. */
  readonly envelope: (
    session: string,
    turnId: string,
    to: Originator,
    without: ReadonlySet<string>,
  ) => Promise<Envelope | undefined>
  /** Events of the session: up to `limit` after a seq. */
  readonly read: (session: string, after: number, limit: number) => Promise<readonly LoggedEvent[]>
  readonly addressesOf: (from: Originator) => readonly Address[]
}

const artifactId = /\bart_[a-z0-9]{16,64}/g

/** Reads a session's log, event by event, and says what comes of it. It begins where an earlier one has ended. */
export class Projection {
  readonly #session: string
  readonly #world: ProjectionWorld
  #state: ProjectedSession
  #changes: MissiveChange[] = []
  #restart = false

  constructor(session: string, state: ProjectedSession, world: ProjectionWorld) {
    this.#session = session
    this.#state = state
    this.#world = world
  }

  get state(): ProjectedSession {
    return this.#state
  }

  get changes(): readonly MissiveChange[] {
    return this.#changes
  }

  /** True when something was taken out of the log that was read before: all of it is to be read anew. */
  get restarts(): boolean {
    return this.#restart
  }

  async take({ seq, event }: LoggedEvent): Promise<void> {
    this.#state = { ...this.#state, lastAt: Math.max(this.#state.lastAt, event.at) }
    this.#noteArtifacts(event)
    switch (event.type) {
      case 'sessionOpened': {
        const { tenant, payload } = event
        const owner = payload && principalAddress(payload.owner)
        this.#state = { ...this.#state, tenant, ...(owner !== undefined && { owner }) }
        return
      }
      case 'messageReceived':
        return this.#received(event, seq)
      case 'originatorJoined':
        if (event.payload !== undefined) this.#know(event.payload.originator)
        return
      case 'originatorLeft':
        return this.#left(event.originatorId, event.at)
      case 'slotFilled':
      case 'manifestSettled':
        return this.#injected(event)
      case 'turnStarted':
        return this.#started(event.turnId, event.messageIds)
      case 'partReceived':
        if (event.partType === 'setState' && event.payload) this.#proposed(event.turnId, event.payload.part)
        return
      case 'turnSettled':
        return this.#settled(event, seq)
      case 'deliveryQueued':
        return this.#queued(event, seq)
      case 'deliverySent': {
        const { deliveryId, externalId, at } = event
        return this.#moved({ deliveryId, state: 'sent', at, ...(externalId !== undefined && { externalId }) })
      }
      case 'deliveryFailed': {
        const { deliveryId, attempt, nextAt, at, payload } = event
        const state = nextAt === undefined ? 'failed' : 'queued'
        return this.#moved({ deliveryId, state, at, attempts: attempt, ...payload })
      }
      case 'deliveryRetried':
        return this.#moved({ deliveryId: event.deliveryId, state: 'queued', at: event.at })
      case 'dataErased':
        return this.#erased(event, seq)
      default:
    }
  }

  #noteArtifacts(event: SessionEvent): void {
    if (!('payload' in event) || event.payload === undefined) return
    const found = JSON.stringify(event.payload).match(artifactId)
    if (found !== null) this.#changes.push({ kind: 'artifacts', at: event.at, artifactIds: [...new Set(found)] })
  }

  #know(from: Originator): KnownOriginator {
    const { id, transport, deliveryClass, principal, consumes } = from
    const known: KnownOriginator = {
      id,
      transport,
      deliveryClass,
      principal: { kind: principal.kind, id: principal.id },
      ...(consumes && { consumes }),
      addresses: this.#world.addressesOf(from),
    }
    const others = this.#state.originators.filter((other) => other.id !== id)
    this.#state = { ...this.#state, originators: [...others, known] }
    return known
  }

  #received({ messageId, originatorId, payload, at }: MessageReceived, seq: number): void {
    const waiting = [...this.#state.waiting, [messageId, [originatorId]] as const]
    this.#state = { ...this.#state, waiting }
    if (payload === undefined) return
    const known = this.#know(payload.from)
    const parts = [...payload.parts]
    for (const { index, part } of payload.proposed ?? []) parts.splice(index, 0, part)
    if (parts.length === 0) return
    this.#put(known, {
      missiveId: derivedId('mis', this.#session, messageId),
      direction: 'in',
      parts,
      at,
      seq,
      delivery: { state: 'received', at },
    })
  }

  /** A result that comes after its turn begins another one, which answers those who asked for it. */
  #injected(event: SlotFilled | ManifestSettled): void {
    const { turn } = this.#state
    if (turn?.turnId === event.turnId && turn.turnState === undefined) return
    if (event.type === 'manifestSettled' && event.finalizedBy === 'cancelled') return
    const id = event.type === 'slotFilled' ? `${event.manifestId}.${event.slot}` : event.manifestId
    this.#state = { ...this.#state, waiting: [...this.#state.waiting, [id, event.originators]] }
  }

  #started(turnId: string, messageIds: readonly string[]): void {
    const taken = new Set(messageIds)
    const answered = this.#state.waiting.filter(([id]) => taken.has(id)).flatMap(([, originators]) => originators)
    const waiting = this.#state.waiting.filter(([id]) => !taken.has(id))
    const turn: ProjectedTurn = { turnId, originators: [...new Set(answered)], flushed: [], setState: [] }
    this.#state = { ...this.#state, waiting, turn }
  }

  #proposed(turnId: string, part: Part): void {
    const { turn } = this.#state
    if (turn?.turnId !== turnId) return
    this.#state = { ...this.#state, turn: { ...turn, setState: [...turn.setState, part] } }
  }

  /** Those who asked get an answer; for whoever is pushed to, it says so right afterwards. */
  async #settled(event: Extract<SessionEvent, { type: 'turnSettled' }>, seq: number): Promise<void> {
    const { turn } = this.#state
    if (turn?.turnId !== event.turnId) return
    const settled = { ...turn, turnState: event.turnState }
    this.#state = { ...this.#state, turn: settled }
    for (const originatorId of turn.originators) {
      await this.#answer(settled, originatorId, { at: event.at, seq, delivery: { state: 'offered', at: event.at } })
    }
  }

  async #queued(event: DeliveryQueued, seq: number): Promise<void> {
    const { turnId, originatorId, deliveryId, at, partIds } = event
    const delivery: MissiveDelivery = { state: 'queued', at, deliveryId }
    if (partIds !== undefined) return this.#flushed(event, partIds, seq)
    const { turn } = this.#state
    if (turn?.turnId !== turnId) return
    if (turn.originators.includes(originatorId)) {
      this.#changes.push({ kind: 'delivery', missiveId: answerId(this.#session, turnId, originatorId), delivery })
    } else {
      await this.#answer(turn, originatorId, { at, seq, delivery })
    }
  }

  /** The settled envelope, as this originator may have it. */
  async #answer(
    turn: ProjectedTurn,
    originatorId: string,
    place: Pick<Missive, 'at' | 'seq' | 'delivery'>,
  ): Promise<void> {
    const known = this.#state.originators.find(({ id }) => id === originatorId)
    const { tenant } = this.#state
    if (known === undefined || tenant === undefined) return
    const { turnId, turnState, setState } = turn
    const without = new Set(turn.flushed.find(([id]) => id === originatorId)?.[1])
    const envelope = await this.#world.envelope(this.#session, turnId, listenerOf(known, tenant), without)
    const said = envelope?.parts ?? []
    const parts = [...said, ...setState.filter((part) => !said.some((other) => isDeepStrictEqual(other, part)))]
    if (parts.length === 0) return
    this.#put(known, {
      missiveId: answerId(this.#session, turnId, originatorId),
      direction: 'out',
      parts,
      turnId,
      ...(turnState !== undefined && { turnState }),
      ...place,
    })
  }

  /** Parts that go out before their turn has settled; they are in the same commit. */
  async #flushed(event: DeliveryQueued, partIds: readonly string[], seq: number): Promise<void> {
    const { turnId, originatorId, deliveryId, at, back, since } = event
    const known = this.#state.originators.find(({ id }) => id === originatorId)
    const { turn } = this.#state
    if (turn?.turnId === turnId) {
      const before = turn.flushed.find(([id]) => id === originatorId)?.[1] ?? []
      const others = turn.flushed.filter(([id]) => id !== originatorId)
      const flushed = [...others, [originatorId, [...before, ...partIds]] as const]
      this.#state = { ...this.#state, turn: { ...turn, flushed } }
    }
    const first = back === undefined ? since : seq - back
    const events = await this.#world.read(this.#session, first - 1, seq - first)
    const parts = events.flatMap(({ event: said }) => {
      const found = saidPart(said)
      return found !== undefined && partIds.includes(found.partId) ? [found.part] : []
    })
    if (known === undefined || parts.length === 0) return
    this.#put(known, {
      missiveId: derivedId('mis', this.#session, 'flush', deliveryId),
      direction: 'out',
      parts,
      turnId,
      at,
      seq,
      delivery: { state: 'queued', at, deliveryId },
    })
  }

  #moved(delivery: Partial<MissiveDelivery>): void {
    this.#changes.push({ kind: 'delivery', delivery })
  }

  #left(originatorId: string, at: number): void {
    this.#changes.push({ kind: 'left', originatorId, at })
    const { turn } = this.#state
    if (turn === undefined) return
    const flushed = turn.flushed.filter(([id]) => id !== originatorId)
    this.#state = { ...this.#state, turn: { ...turn, flushed } }
  }

  #erased({ scope, payload }: DataErased, seq: number): void {
    const { tenant, lastAt, redoneUpTo = 0 } = this.#state
    if (scope === 'session') {
      this.#changes.push({ kind: 'erased' })
      this.#state = { ...newSession, lastAt, ...(tenant !== undefined && { tenant }) }
      return
    }
    if (payload !== undefined) {
      const gone = new Set(payload.originatorIds)
      this.#changes.push({ kind: 'erased', originatorIds: payload.originatorIds })
      this.#state = { ...this.#state, originators: this.#state.originators.filter(({ id }) => !gone.has(id)) }
    } else if (seq > redoneUpTo) {
      // Whose it was is not said any more; the log has lost it by now.
      this.#changes.push({ kind: 'erased' })
      this.#state = { ...newSession, redoneUpTo: seq }
      this.#restart = true
    }
  }

  #put(
    known: KnownOriginator,
    missive: Omit<Missive, 'tenant' | 'sessionId' | 'threadId' | 'channel' | 'correspondent' | 'owner'>,
  ): void {
    const { tenant, owner } = this.#state
    if (tenant === undefined) return
    const { id, transport, principal, addresses } = known
    const whole: Missive = {
      ...missive,
      tenant,
      sessionId: this.#session,
      threadId: derivedId('thr', this.#session, transport, principal.kind, principal.id),
      channel: transport,
      correspondent: { originatorId: id, principal, addresses },
      ...(owner !== undefined && { owner }),
    }
    this.#changes.push({ kind: 'missive', missive: whole })
  }
}

/** The answer of a turn to one originator, whether it is sent or waits to be fetched. */
function answerId(session: string, turnId: string, originatorId: string): string {
  return derivedId('mis', session, 'answer', turnId, originatorId)
}

/** The part in an event that can be sent by itself: one that an actor said, or the result in a slot. */
function saidPart(event: SessionEvent): { partId: string; part: Part } | undefined {
  if (event.type === 'partReceived') return event.payload && { partId: event.partId, part: event.payload.part }
  if (event.type !== 'slotFilled' || event.payload?.part === undefined) return undefined
  return { partId: `${event.manifestId}.${event.slot}`, part: event.payload.part }
}
