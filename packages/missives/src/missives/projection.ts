import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Envelope, Originator } from '@cool-ai/beach-core'
import type {
  DataErased,
  DeliveryQueued,
  LoggedEvent,
  MessageReceived,
  SessionEvent,
  TurnSettled,
} from '@cool-ai/beach-core/log'
import { encodeId } from '@cool-ai/beach-core/runtime'
import { principalAddress, type Address } from '../identities/address.ts'
import type { MissiveChange } from './missive-store.ts'
import type { Missive, MissiveDelivery } from './missive.ts'
import { messageParts, placesOf, saidPart } from './part-position.ts'
import {
  flushedTo,
  inTurn,
  knownOriginator,
  listenerOf,
  newSession,
  withResult,
  withTurn,
  withWaiting,
  type KnownOriginator,
  type ProjectedSession,
  type ProjectedTurn,
} from './projected-session.ts'

/** Where an envelope is for. */
interface EnvelopeTarget {
  readonly session: string
  readonly turnId: string
  readonly to: Originator
  /** Ids of parts that the listener has already. */
  readonly without: ReadonlySet<string>
}

/** What a projection needs besides the events. */
export interface ProjectionContext {
  /** A settled turn's envelope, made of the turn's events, with what the listener may have. */
  readonly envelopeFrom: (events: readonly LoggedEvent[], place: EnvelopeTarget) => Envelope | undefined
  /** Events of the session: up to `limit` after a seq. */
  readonly read: (session: string, after: number, limit: number) => Promise<readonly LoggedEvent[]>
  readonly addressesOf: (from: Originator) => readonly Address[]
}

const artifactId = /\bart_[a-z0-9]{16,64}/g
const pageSize = 200

/** Reads a session's log, event by event, and says what comes of it. It begins where an earlier one has ended. */
export class Projection {
  state: ProjectedSession
  readonly changes: MissiveChange[] = []
  /** True when something was taken out of the log that was read before: all of it is to be read anew. */
  restarts = false
  readonly #session: string
  readonly #context: ProjectionContext
  /** Those that were taken here. */
  readonly #events: LoggedEvent[] = []

  constructor(session: string, state: ProjectedSession, context: ProjectionContext) {
    this.#session = session
    this.state = state
    this.#context = context
  }

  async take(logged: LoggedEvent): Promise<void> {
    const { seq, event } = logged
    // That the log was rewritten is nothing that happened in the conversation.
    if (event.type === 'dataErased' && event.scope === 'rewritten') return
    this.#events.push(logged)
    // That something was erased is nothing that happened in the conversation.
    if (event.type !== 'dataErased') this.state = { ...this.state, lastAt: Math.max(this.state.lastAt, event.at) }
    this.#noteArtifacts(event)
    switch (event.type) {
      case 'sessionOpened': {
        const { tenant, payload } = event
        this.state = { ...this.state, tenant, ...(payload && { owner: principalAddress(payload.owner) }) }
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
        this.state = withResult(this.state, event, seq)
        return
      case 'turnStarted':
        this.state = withTurn(this.state, event.turnId, event.messageIds, seq)
        return
      case 'partReceived': {
        const part = event.payload?.part
        if (event.partType !== 'setState' || part === undefined) return
        this.state = inTurn(this.state, event.turnId, ({ setState }) => ({ setState: [...setState, part] }))
        return
      }
      case 'turnSettled':
        return this.#settled(event, seq)
      case 'deliveryQueued':
        return event.partIds === undefined ? this.#queued(event, seq) : this.#flushed(event, event.partIds, seq)
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
    if (found !== null) this.changes.push({ kind: 'artifacts', at: event.at, artifactIds: [...new Set(found)] })
  }

  #know(from: Originator): KnownOriginator {
    const known = knownOriginator(from, this.#context.addressesOf(from))
    const others = this.state.originators.filter(({ id }) => id !== known.id)
    this.state = { ...this.state, originators: [...others, known] }
    return known
  }

  #received(event: MessageReceived, seq: number): void {
    const { messageId, originatorId, payload, at } = event
    this.state = withWaiting(this.state, { id: messageId, seq, originators: [originatorId] })
    if (payload === undefined) return
    const known = this.#know(payload.from)
    const parts = messageParts(payload)
    const missiveId = derivedId('mis', this.#session, messageId)
    this.#put(known, { missiveId, direction: 'in', parts, at, seq, delivery: { state: 'received', at } }, [
      { seq, event },
    ])
  }

  /** Requesters get an answer; for push originators the queued delivery follows right afterwards. */
  async #settled({ turnId, turnState, at }: TurnSettled, seq: number): Promise<void> {
    this.state = inTurn(this.state, turnId, () => ({ turnState }))
    const { turn } = this.state
    if (turn?.turnId !== turnId) return
    const place = { at, seq, delivery: { state: 'offered', at } } as const
    for (const originatorId of turn.originators) await this.#answer(turn, originatorId, place)
  }

  async #queued({ turnId, originatorId, deliveryId, at }: DeliveryQueued, seq: number): Promise<void> {
    const delivery: MissiveDelivery = { state: 'queued', at, deliveryId }
    const { turn } = this.state
    if (turn?.turnId !== turnId) return
    if (!turn.originators.includes(originatorId)) return this.#answer(turn, originatorId, { at, seq, delivery })
    this.changes.push({ kind: 'delivery', missiveId: this.#answerId(turnId, originatorId), delivery })
  }

  /** The settled envelope, as this originator may have it. */
  async #answer(
    turn: ProjectedTurn,
    originatorId: string,
    place: Pick<Missive, 'at' | 'seq' | 'delivery'>,
  ): Promise<void> {
    const known = this.#known(originatorId)
    const { tenant } = this.state
    if (known === undefined || tenant === undefined) return
    const { turnId, turnState, setState, since } = turn
    const events = await this.#between(since, place.seq)
    const envelope = this.#context.envelopeFrom(events, {
      session: this.#session,
      turnId,
      to: listenerOf(known, tenant),
      without: new Set(flushedTo(turn, originatorId)),
    })
    const said = envelope?.parts ?? []
    const parts = [...said, ...setState.filter((part) => !said.some((other) => isDeepStrictEqual(other, part)))]
    const missiveId = this.#answerId(turnId, originatorId)
    const about = { missiveId, direction: 'out', turnId, ...(turnState !== undefined && { turnState }) } as const
    this.#put(known, { ...about, parts, ...place }, events)
  }

  /** Parts that go out before their turn has settled; they are in the same commit. */
  async #flushed(event: DeliveryQueued, partIds: readonly string[], seq: number): Promise<void> {
    const { turnId, originatorId, deliveryId, at, back, since } = event
    this.state = inTurn(this.state, turnId, (turn) => ({
      flushed: [
        ...turn.flushed.filter(({ to }) => to !== originatorId),
        { to: originatorId, partIds: [...flushedTo(turn, originatorId), ...partIds] },
      ],
    }))
    const known = this.#known(originatorId)
    if (known === undefined) return
    const events = await this.#between(back === undefined ? since : seq - back, seq - 1)
    const parts = events.flatMap((said) => {
      const found = saidPart(said.event)
      return found !== undefined && partIds.includes(found.partId) ? [found.part] : []
    })
    const missiveId = derivedId('mis', this.#session, 'flush', deliveryId)
    const delivery: MissiveDelivery = { state: 'queued', at, deliveryId }
    this.#put(known, { missiveId, direction: 'out', parts, turnId, at, seq, delivery }, events)
  }

  /** Events from one seq to another, with both; only those are read that were not taken here. */
  async #between(first: number, last: number): Promise<readonly LoggedEvent[]> {
    const own = this.#events.filter(({ seq }) => seq >= first && seq <= last)
    const begins = this.#events[0]?.seq ?? Infinity
    const before: LoggedEvent[] = []
    for (let after = first - 1; after < begins - 1;) {
      const page = await this.#context.read(this.#session, after, pageSize)
      before.push(...page.filter(({ seq }) => seq < begins && seq <= last))
      const reached = page.at(-1)?.seq
      if (reached === undefined || page.length < pageSize || reached >= last) break
      after = reached
    }
    return [...before, ...own]
  }

  #moved(delivery: Partial<MissiveDelivery>): void {
    this.changes.push({ kind: 'delivery', delivery })
  }

  #left(originatorId: string, at: number): void {
    this.changes.push({ kind: 'left', originatorId, at })
    const turnId = this.state.turn?.turnId ?? ''
    this.state = inTurn(this.state, turnId, ({ flushed }) => ({
      flushed: flushed.filter(({ to }) => to !== originatorId),
    }))
  }

  #erased({ scope, payload }: DataErased, seq: number): void {
    const { tenant, lastAt, redoneUpTo = 0 } = this.state
    // What has gone was said before; that the log is rewritten by now changes nothing here.
    if (scope === 'rewritten') return
    if (scope === 'session') {
      this.changes.push({ kind: 'erased' })
      this.state = { ...newSession, lastAt, ...(tenant !== undefined && { tenant }) }
    } else if (payload !== undefined) {
      const { originatorIds } = payload
      this.changes.push({ kind: 'erased', originatorIds })
      const originators = this.state.originators.filter(({ id }) => !originatorIds.includes(id))
      this.state = { ...this.state, originators }
    } else if (seq > redoneUpTo) {
      // Whose it was is not said any more; the log has lost it by now.
      this.changes.push({ kind: 'erased' })
      this.state = { ...newSession, redoneUpTo: seq }
      this.restarts = true
    }
  }

  #known(originatorId: string): KnownOriginator | undefined {
    return this.state.originators.find(({ id }) => id === originatorId)
  }

  /** The answer of a turn to one originator, whether it is sent or waits to be fetched. */
  #answerId(turnId: string, originatorId: string): string {
    return derivedId('mis', this.#session, 'answer', turnId, originatorId)
  }

  /** Keeps a missive that was made of these events, unless there is nothing in it. */
  #put(
    known: KnownOriginator,
    missive: Omit<Missive, 'tenant' | 'sessionId' | 'threadId' | 'channel' | 'correspondent' | 'owner'>,
    events: readonly LoggedEvent[],
  ): void {
    const { tenant, owner } = this.state
    if (tenant === undefined || missive.parts.length === 0) return
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
    const places = placesOf(missive.parts, events)
    this.changes.push({ kind: 'missive', missive: whole, ...(places && { places }) })
  }
}

/** An id that follows from what it names: made again from the log, it is the same. */
function derivedId(prefix: string, ...names: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(names)).digest()
  return `${prefix}_${encodeId(digest.subarray(0, 16))}`
}
