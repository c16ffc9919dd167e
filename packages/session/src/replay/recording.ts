import type { Originator, Part } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { CutText, RecordedCommit } from '@cool-ai/beach-core/ports'
import { partId } from '@cool-ai/beach-core/runtime'
import { approvalRequestSchema, type ApprovalRequest } from '@cool-ai/beach-protocol/parts'

type EventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>

/** A tool call on record: its start, and its end where it has one. */
export interface RecordedCall {
  readonly started: EventOf<'toolStarted'>
  readonly finished?: EventOf<'toolFinished'>
}

/** A request for an approval, as its part has it. */
export interface RecordedRequest {
  readonly place: number
  readonly turnId: string
  readonly request: ApprovalRequest
  readonly metadata: Part['metadata']
}

/**
 * A session's log as it was recorded. Only a turn's own run writes events with an epoch: all others came from outside,
 * such as messages, decisions, results of clients and of work in parallel, and outcomes of deliveries.
 */
export class Recording {
  readonly events: readonly SessionEvent[]
  readonly #calls = new Map<string, RecordedCall>()
  readonly #callsByHash = new Map<string, RecordedCall[]>()
  readonly #requests: RecordedRequest[] = []
  readonly #reached = new Set<string>()
  readonly #transports = new Set<string>()
  readonly #turns = new Map<string, { readonly place: number; readonly event: SessionEvent }[]>()

  constructor(events: readonly SessionEvent[]) {
    this.events = events
    const originators = new Map<string, Originator>()
    for (const [place, event] of events.entries()) {
      if ('turnId' in event && event.turnId !== undefined) {
        const turn = this.#turns.get(event.turnId) ?? []
        this.#turns.set(event.turnId, turn)
        turn.push({ place, event })
      }
      if (event.type === 'messageReceived' && event.payload) originators.set(event.originatorId, event.payload.from)
      else if (event.type === 'originatorJoined' && event.payload) {
        originators.set(event.originatorId, event.payload.originator)
      } else if (event.type === 'deliveryQueued') {
        this.#reached.add(reachedKey(event.turnId, event.originatorId))
        const { transport } = originators.get(event.originatorId) ?? {}
        if (transport !== undefined) this.#transports.add(transport)
      } else if (event.type === 'toolStarted') this.#started(event)
      else if (event.type === 'toolFinished') this.#finished(event)
      else if (event.type === 'partReceived') this.#part(place, event)
    }
  }

  /** The transports that answers were pushed to. */
  get transports(): ReadonlySet<string> {
    return this.#transports
  }

  /** The place of a turn's start; undefined when there is no such turn. */
  startOf(turnId: string): number | undefined {
    const place = this.events.findIndex((event) => event.type === 'turnStarted' && event.turnId === turnId)
    return place === -1 ? undefined : place
  }

  /** The ids of the turns that start at a place or later, in their order. */
  turnIds(from: number): string[] {
    return this.events.slice(from).flatMap((event) => (event.type === 'turnStarted' ? [event.turnId] : []))
  }

  /** Whether something of the turn was pushed to this originator. */
  isReached(turnId: string, originatorId: string): boolean {
    return this.#reached.has(reachedKey(turnId, originatorId))
  }

  call(callId: string): RecordedCall | undefined {
    return this.#calls.get(callId)
  }

  /** The calls of the same tool with the same arguments, as they began. */
  callsOf(hash: string): readonly RecordedCall[] {
    return this.#callsByHash.get(hash) ?? []
  }

  /** Those of them that have ended, oldest first. */
  callsLike(hash: string): readonly RecordedCall[] {
    return this.callsOf(hash)
      .map(({ started }) => this.#calls.get(started.callId))
      .flatMap((call) => (call?.finished === undefined ? [] : [call]))
  }

  /**
   * What a call cost that an approver had allowed for the session: such a call has no request. Undefined for other calls.
   */
  allowedAmount(turnId: string, hash: string): { readonly value: number; readonly currency: string } | undefined {
    const alike = this.callsOf(hash)
    const { started } = alike.find((call) => call.started.turnId === turnId) ?? alike.at(-1) ?? {}
    const decided = started && this.events[this.events.indexOf(started) - 1]
    if (decided?.type !== 'approvalDecided' || decided.allowance === undefined) return undefined
    const { approvalId, value } = decided.allowance
    const allowing = this.#requests.find(({ request }) => request.approvalId === approvalId)
    const { amount } = (allowing?.metadata.about ?? {}) as { readonly amount?: { readonly currency: string } }
    return { value, currency: amount?.currency ?? '' }
  }

  get requests(): readonly RecordedRequest[] {
    return this.#requests
  }

  /** The requests in the step at a place. */
  requestsIn(place: number): readonly RecordedRequest[] {
    const step = this.events[place]
    if (step?.type !== 'stepCommitted') return []
    const ids = new Set(step.partIds)
    return this.#requests.filter((request) => {
      const part = this.events[request.place]
      return part?.type === 'partReceived' && ids.has(part.partId)
    })
  }

  /** The steps of a turn's actors from a step on, up to where another host went on with the turn, or its end. */
  commits(turnId: string, from: number): { readonly commits: RecordedCommit[]; readonly cut: CutText[] } {
    const commits: RecordedCommit[] = []
    const cut: CutText[] = []
    let steps = 0
    let isCancelled = false
    for (const { place, event } of this.#turns.get(turnId) ?? []) {
      if (event.type === 'cancelRequested') isCancelled = true
      if (event.type === 'turnResumed' && steps > from) break
      if (event.type === 'stepCommitted') {
        steps++
        if (event.step >= from && !event.hash.startsWith('~')) commits.push(this.#commit(event, place))
      }
      if (event.type !== 'partReceived' || !isCancelled) continue
      const { text, metadata } = event.payload?.part ?? {}
      if (metadata?.truncated !== true || text === undefined) continue
      cut.push({ index: indexOf(event.partId), partType: event.partType, text })
    }
    return { commits, cut }
  }

  #commit({ turnId, step, payload }: EventOf<'stepCommitted'>, place: number): RecordedCommit {
    const notes: { kind: string; value: unknown }[] = []
    const parts: Part[] = []
    for (let at = place + 1; at < this.events.length; at++) {
      const event = this.events[at]
      if (event === undefined || !('turnId' in event) || event.turnId !== turnId) break
      if (event.type === 'actorNoted') notes.push({ kind: event.kind, value: event.payload?.value })
      else if (event.type === 'partReceived' && event.partId === partId(turnId, step, parts.length)) {
        parts.push(...(event.payload === undefined ? [] : [event.payload.part]))
      } else if (event.type === 'turnStateChanged' || event.type === 'stepCommitted') break
    }
    return { step, answer: payload?.answer, notes, parts }
  }

  #started(event: EventOf<'toolStarted'>): void {
    const call = { started: event }
    this.#calls.set(event.callId, call)
    this.#callsByHash.set(event.hash, [...(this.#callsByHash.get(event.hash) ?? []), call])
  }

  #finished(event: EventOf<'toolFinished'>): void {
    const call = this.#calls.get(event.callId)
    if (call !== undefined) this.#calls.set(event.callId, { ...call, finished: event })
  }

  #part(place: number, { turnId, partType, payload }: EventOf<'partReceived'>): void {
    if (partType !== 'approval-request' || payload === undefined) return
    const request = approvalRequestSchema.safeParse(payload.part.data).data
    if (request !== undefined) this.#requests.push({ place, turnId, request, metadata: payload.part.metadata })
  }
}

/** True for what came from outside of the turn's own run. */
export function isForeign(event: SessionEvent): boolean {
  return event.epoch === undefined
}

function reachedKey(turnId: string, originatorId: string): string {
  return `${turnId}\n${originatorId}`
}

function indexOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('.') + 1))
}
