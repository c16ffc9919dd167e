import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { DeliveryClass, Envelope, Originator, Part, Principal } from '@cool-ai/beach-core'
import type {
  DataErased,
  DeliveryQueued,
  LoggedEvent,
  ManifestSettled,
  MessageReceived,
  SessionEvent,
  SlotFilled,
  TurnSettled,
} from '@cool-ai/beach-core/log'
import { encodeId, defined } from '@cool-ai/beach-core/runtime'
import { principalAddress, type Address } from '../identities/address.ts'
import { messageParts, placesOf, saidPart } from './missive-parts.ts'
import type { MissiveChange } from './missive-store.ts'
import type { Missive, MissiveDelivery } from './missive.ts'

/** What is known of an originator: nothing that its channel needs to reach it, which may be secret. */
interface KnownOriginator {
  readonly id: string
  readonly transport: string
  readonly deliveryClass: DeliveryClass
  readonly principal: Pick<Principal, 'kind' | 'id'>
  readonly consumes?: readonly string[] | undefined
  readonly addresses: readonly Address[]
}

/** A message, or a result that came after its turn, that no turn has taken yet. */
interface Waiting {
  readonly id: string
  readonly seq: number
  /** The originators that an answer to it is for. */
  readonly originators: readonly string[]
}

/** The turn that is open, or the one that settled last. */
interface ProjectedTurn {
  readonly turnId: string
  /** All that it needs comes from here on. */
  readonly since: number
  /** The originators that it answers. */
  readonly originators: readonly string[]
  /** Ids of the parts that were sent before it settled, by whom they went to. */
  flushed: { readonly to: string; readonly partIds: readonly string[] }[]
  readonly setState: Part[]
  turnState?: string
}

/** What must be known of a session to read on in its log. Plain JSON. */
export interface ProjectedSession {
  tenant?: string | undefined
  owner?: Address | undefined
  originators: KnownOriginator[]
  waiting: Waiting[]
  turn?: ProjectedTurn
  /** When the last thing happened. */
  lastAt: number
  /** Rebuilt up to this seq, after something was erased from the log. */
  redoneUpTo?: number
}

/** The recipient of an envelope. */
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

/** Reads a session's log, event by event, and returns the changes. It begins where an earlier one has ended. */
export class Projection {
  state: ProjectedSession
  readonly changes: MissiveChange[] = []
  /** True when something was erased from the log that was read before: all of it is to be read again. */
  restarts = false
  readonly #session: string
  readonly #context: ProjectionContext
  /** Those that were taken here. */
  readonly #events: LoggedEvent[] = []

  /** `state` is the one that an earlier projection of the session has ended with, if there was one. */
  constructor(session: string, state: unknown, context: ProjectionContext) {
    this.#session = session
    this.#context = context
    this.state = state === undefined ? newSession() : (structuredClone(state) as ProjectedSession)
  }

  async take(logged: LoggedEvent): Promise<void> {
    const { seq, event } = logged
    const { state } = this
    // The rewriting of the log is no event of the conversation.
    if (event.type === 'dataErased' && event.scope === 'rewritten') return
    this.#events.push(logged)
    // The erasure is no event of the conversation.
    if (event.type !== 'dataErased') state.lastAt = Math.max(state.lastAt, event.at)
    this.#noteArtifacts(event)
    switch (event.type) {
      case 'sessionOpened':
        state.tenant = event.tenant
        if (event.payload !== undefined) state.owner = principalAddress(event.payload.owner)
        return
      case 'messageReceived':
        return this.#received(event, seq)
      case 'originatorJoined':
        if (event.payload !== undefined) this.#know(event.payload.originator)
        return
      case 'originatorLeft':
        this.changes.push({ kind: 'left', originatorId: event.originatorId, at: event.at })
        if (state.turn) state.turn.flushed = state.turn.flushed.filter(({ to }) => to !== event.originatorId)
        return
      case 'slotFilled':
      case 'manifestSettled':
        return this.#result(event, seq)
      case 'turnStarted':
        return this.#started(event.turnId, event.messageIds, seq)
      case 'partReceived': {
        const part = event.payload?.part
        if (event.partType === 'setState' && part !== undefined) this.#turn(event.turnId)?.setState.push(part)
        return
      }
      case 'turnSettled':
        return this.#settled(event, seq)
      case 'deliveryQueued':
        return event.partIds === undefined ? this.#queued(event, seq) : this.#flushed(event, event.partIds, seq)
      case 'deliverySent': {
        const { deliveryId, externalId, at } = event
        return this.#moved({ deliveryId, state: 'sent', at, externalId })
      }
      case 'deliveryFailed': {
        const { deliveryId, attempt, nextAt, at, payload } = event
        const reached = nextAt === undefined ? 'failed' : 'queued'
        return this.#moved({ deliveryId, state: reached, at, attempts: attempt, ...payload })
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
    const { id, transport, deliveryClass, principal, consumes } = from
    const { kind, id: name } = principal
    const addresses = this.#context.addressesOf(from)
    const known = { id, transport, deliveryClass, principal: { kind, id: name }, consumes, addresses }
    this.state.originators = [...this.state.originators.filter((other) => other.id !== id), known]
    return known
  }

  #received(event: MessageReceived, seq: number): void {
    const { messageId, originatorId, payload, at } = event
    this.state.waiting.push({ id: messageId, seq, originators: [originatorId] })
    if (payload === undefined) return
    const parts = messageParts(payload)
    const missiveId = derivedId('mis', this.#session, messageId)
    const delivery = { state: 'received', at } as const
    this.#put(this.#know(payload.from), { missiveId, direction: 'in', parts, at, seq, delivery }, [{ seq, event }])
  }

  /** A result that comes after its turn begins another one, which answers its requesters. */
  #result(event: SlotFilled | ManifestSettled, seq: number): void {
    const turn = this.#turn(event.turnId)
    const isOpen = turn !== undefined && turn.turnState === undefined
    if (isOpen || (event.type === 'manifestSettled' && event.finalizedBy === 'cancelled')) return
    const id = event.type === 'slotFilled' ? `${event.manifestId}.${event.slot}` : event.manifestId
    this.state.waiting.push({ id, seq, originators: event.originators })
  }

  /** A turn takes what waits. */
  #started(turnId: string, messageIds: readonly string[], seq: number): void {
    const { state } = this
    const taken = state.waiting.filter(({ id }) => messageIds.includes(id))
    state.waiting = state.waiting.filter(({ id }) => !messageIds.includes(id))
    const originators = [...new Set(taken.flatMap((entry) => entry.originators))]
    const since = Math.min(seq, ...taken.map((entry) => entry.seq))
    state.turn = { turnId, since, originators, flushed: [], setState: [] }
  }

  /** Requesters get an answer; for push originators the queued delivery follows right afterwards. */
  async #settled({ turnId, turnState, at }: TurnSettled, seq: number): Promise<void> {
    const turn = this.#turn(turnId)
    if (turn === undefined) return
    turn.turnState = turnState
    const place = { at, seq, delivery: { state: 'offered', at } } as const
    for (const originatorId of turn.originators) await this.#answer(turn, originatorId, place)
  }

  async #queued({ turnId, originatorId, deliveryId, at }: DeliveryQueued, seq: number): Promise<void> {
    const delivery: MissiveDelivery = { state: 'queued', at, deliveryId }
    const turn = this.#turn(turnId)
    if (turn === undefined) return
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
    // Its content does not depend on the principal.
    const principal: Principal = { kind: 'operator', id: 'missives', tenant }
    const { id, transport, deliveryClass, consumes } = known
    const events = await this.#between(since, place.seq)
    const envelope = this.#context.envelopeFrom(events, {
      session: this.#session,
      turnId,
      to: defined({ id, transport, deliveryClass, principal, consumes }),
      without: new Set(flushedTo(turn, originatorId)),
    })
    const said = envelope?.parts ?? []
    const parts = [...said, ...setState.filter((part) => !said.some((other) => isDeepStrictEqual(other, part)))]
    const missiveId = this.#answerId(turnId, originatorId)
    this.#put(known, { missiveId, direction: 'out', turnId, turnState, parts, ...place }, events)
  }

  /** Parts that go out before their turn has settled; they are in the same commit. */
  async #flushed(event: DeliveryQueued, partIds: readonly string[], seq: number): Promise<void> {
    const { turnId, originatorId, deliveryId, at, back, since } = event
    const turn = this.#turn(turnId)
    if (turn !== undefined) {
      const others = turn.flushed.filter(({ to }) => to !== originatorId)
      turn.flushed = [...others, { to: originatorId, partIds: [...flushedTo(turn, originatorId), ...partIds] }]
    }
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

  #erased({ scope, payload }: DataErased, seq: number): void {
    const { tenant, lastAt, originators, redoneUpTo = 0 } = this.state
    if (scope === 'session') {
      this.changes.push({ kind: 'erased' })
      this.state = { ...newSession(), lastAt, tenant }
    } else if (payload !== undefined) {
      const { originatorIds } = payload
      this.changes.push({ kind: 'erased', originatorIds })
      this.state.originators = originators.filter(({ id }) => !originatorIds.includes(id))
    } else if (seq > redoneUpTo) {
      // The owner is not recorded any more; the log has lost it by now.
      this.changes.push({ kind: 'erased' })
      this.state = { ...newSession(), redoneUpTo: seq }
      this.restarts = true
    }
  }

  /** The turn, if it is still this one. */
  #turn(turnId: string): ProjectedTurn | undefined {
    return this.state.turn?.turnId === turnId ? this.state.turn : undefined
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
      owner,
    }
    this.changes.push({ kind: 'missive', missive: whole, places: placesOf(missive.parts, events) })
  }
}

function newSession(): ProjectedSession {
  return { originators: [], waiting: [], lastAt: 0 }
}

/** Ids of the turn's parts that a listener has got already. */
function flushedTo(turn: ProjectedTurn, originatorId: string): readonly string[] {
  return turn.flushed.find(({ to }) => to === originatorId)?.partIds ?? []
}

/** An id that follows from what it names: made again from the log, it is the same. */
function derivedId(prefix: string, ...names: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(names)).digest()
  return `${prefix}_${encodeId(digest.subarray(0, 16))}`
}
