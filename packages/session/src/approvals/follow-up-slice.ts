import { BeachError, sleep, type Originator, type Runtime, type Slice } from '@cool-ai/beach-core'
import {
  sliceState,
  type EventDraft,
  type SessionEvent,
  type SessionLog,
  type SessionState,
} from '@cool-ai/beach-core/log'
import type { ApprovalFollowUp, Effect, EffectRun, PendingApproval } from '@cool-ai/beach-core/ports'
import { defined, withEntry } from '@cool-ai/beach-core/runtime'
import { isPeer } from '@cool-ai/beach-protocol/parts'
import { deliverySlice } from '../delivery/delivery-slice.ts'
import { recipients, type DeliveryRulesContext } from '../delivery/queue-deliveries.ts'
import { pendingApprovals, traceOf, turnSlice, type OpenTurn } from '../turn/turn-slice.ts'
import { findRequest } from './find-request.ts'

/** A request that no approver has decided yet. */
interface FollowedRequest {
  readonly turnId: string
  readonly requestedAt: number
  readonly expiresAt?: number
  /** The follow-ups that are done, by their places. */
  readonly done: readonly number[]
}

type FollowUpState = Readonly<Record<string, FollowedRequest>>

interface FollowUpContext extends DeliveryRulesContext {
  readonly followUps: readonly ApprovalFollowUp[]
  readonly log: () => SessionLog
  readonly runtime: Runtime
}

/** How long after a failure the approver to ask is looked up again. */
const failedAgainMs = 60_000

const maxFollowUps = 20

/** The follow-ups, if their times are times. */
export function checkedFollowUps(followUps: readonly ApprovalFollowUp[] = []): readonly ApprovalFollowUp[] {
  if (followUps.length > maxFollowUps) {
    throw new BeachError('INVALID_CONFIGURATION', `There can be at most ${maxFollowUps} approvalFollowUps.`)
  }
  for (const followUp of followUps) {
    const ms = 'afterMs' in followUp ? followUp.afterMs : followUp.beforeExpiryMs
    if (!Number.isSafeInteger(ms) || ms <= 0) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        'Each of the approvalFollowUps needs afterMs or beforeExpiryMs: a whole number of milliseconds above 0.',
      )
    }
  }
  return followUps
}

/** The requests that no approver has decided yet. */
export const followUpSlice: Slice<FollowUpState> = {
  ns: 'follow-ups',
  version: 1,
  initial: {},
  folds: ['approvalRequested', 'approvalFollowedUp', 'approvalDecided', 'approvalVoided', 'turnSettled', 'dataErased'],
  fold,
}

/** Reminds approvers of what waits for them, and asks others. Its times follow from the agent's options as they are now. */
export function followingUp(context: FollowUpContext): Slice<FollowUpState> {
  const { followUps } = context
  if (followUps.length === 0) return followUpSlice
  return {
    ...followUpSlice,
    effects: (state, now) =>
      Object.entries(state).flatMap(([approvalId, request]): Effect[] => {
        const due = openFollowUps(request, followUps).filter(({ at }) => at <= now)
        if (due.length === 0) return []
        const places = due.map(({ place }) => place)
        const run = (effect: EffectRun) => new FollowingUp(approvalId, request, places, context).run(effect)
        return [{ key: `${approvalId}:${places.join(',')}`, run }]
      }),
    nextWakeAt(state, after) {
      const times = Object.values(state).flatMap((request) => openFollowUps(request, followUps))
      const later = times.map(({ at }) => at).filter((at) => at > after)
      return later.length === 0 ? undefined : Math.min(...later)
    },
  }
}

function fold(state: FollowUpState, event: SessionEvent): FollowUpState {
  switch (event.type) {
    case 'approvalRequested': {
      const { approvalId, turnId, at: requestedAt, expiresAt } = event
      return withEntry(state, approvalId, defined({ turnId, requestedAt, expiresAt, done: [] }))
    }
    case 'approvalFollowedUp': {
      const request = Object.hasOwn(state, event.approvalId) ? state[event.approvalId] : undefined
      if (request === undefined) return state
      return withEntry(state, event.approvalId, { ...request, done: [...request.done, ...event.done] })
    }
    case 'approvalDecided':
    case 'approvalVoided':
      return without(state, (approvalId) => approvalId === event.approvalId)
    case 'turnSettled':
      return without(state, (_, { turnId }) => turnId === event.turnId)
    case 'dataErased':
      return event.scope === 'session' ? {} : state
    default:
      return state
  }
}

function without(
  state: FollowUpState,
  isOver: (approvalId: string, request: FollowedRequest) => boolean,
): FollowUpState {
  const entries = Object.entries(state)
  const left = entries.filter(([approvalId, request]) => !isOver(approvalId, request))
  return left.length === entries.length ? state : Object.fromEntries(left)
}

interface PlannedFollowUp {
  readonly place: number
  readonly at: number
}

/** What is still to be done about a request, and when: nothing once it has expired. */
function openFollowUps(
  { requestedAt, expiresAt = Infinity, done }: FollowedRequest,
  followUps: readonly ApprovalFollowUp[],
): PlannedFollowUp[] {
  return followUps
    .map((followUp, place) => {
      const at = 'afterMs' in followUp ? requestedAt + followUp.afterMs : expiresAt - followUp.beforeExpiryMs
      return { place, at: Math.max(at, requestedAt) }
    })
    .filter(({ place, at }) => at < expiresAt && !done.includes(place))
}

/** The follow-ups of one request that are due. Several reminders that were missed are one. */
class FollowingUp {
  readonly #approvalId: string
  readonly #request: FollowedRequest
  readonly #places: readonly number[]
  readonly #context: FollowUpContext

  constructor(approvalId: string, request: FollowedRequest, places: readonly number[], context: FollowUpContext) {
    this.#approvalId = approvalId
    this.#request = request
    this.#places = places
    this.#context = context
  }

  async run({ session, signal, commit }: EffectRun): Promise<void> {
    const { log } = this.#context
    const { turn } = sliceState(turnSlice, (await log().load(session)).state)
    if (turn === undefined || turn.turnId !== this.#request.turnId) return
    const found = await findRequest(log(), session, turn, this.#approvalId)
    const asked = found === undefined ? [] : await this.#others({ ...found, sessionId: session }, signal)
    await commit((state) => this.#drafts(state, found?.partId, asked))
  }

  /** The other approvers who are to be asked now. */
  async #others(pending: Omit<PendingApproval, 'requestedAt'>, signal: AbortSignal): Promise<readonly Originator[]> {
    const { followUps, runtime } = this.#context
    const { requestedAt, expiresAt } = this.#request
    const asked: Originator[] = []
    try {
      for (const place of this.#places) {
        const to = followUps[place]?.to
        const found = typeof to === 'function' ? await to({ ...pending, requestedAt, expiresAt }) : to
        if (found !== undefined) asked.push(found)
      }
    } catch (error) {
      const { approvalId, sessionId } = pending
      runtime.logger.log('error', 'the approver to ask next was not found', { session: sessionId, approvalId, error })
      await sleep(runtime.clock, failedAgainMs, signal)
      throw error
    }
    return asked
  }

  #drafts(state: SessionState, partId: string | undefined, asked: readonly Originator[]): EventDraft[] {
    const { turn } = sliceState(turnSlice, state)
    const approvalId = this.#approvalId
    const waits = turn !== undefined && pendingApprovals(turn).some((entry) => entry.approvalId === approvalId)
    if (!waits || turn.cancelled) return []
    const { turnId } = turn
    const done: EventDraft = { type: 'approvalFollowedUp', turnId, approvalId, done: this.#places }
    if (partId === undefined) return [done]
    return [done, ...this.#reminders(state, turn, partId), ...asked.flatMap((to) => this.#escalation(turn, to, partId))]
  }

  #reminders(state: SessionState, turn: OpenTurn, partId: string): EventDraft[] {
    const { followUps } = this.#context
    if (this.#places.every((place) => followUps[place]?.to !== undefined)) return []
    const delivery = sliceState(deliverySlice, state)
    const alsoAsked = turn.approvals.find(({ approvalId }) => approvalId === this.#approvalId)?.alsoAsked ?? []
    const answered = [...turn.originators, ...alsoAsked.map(({ originatorId }) => originatorId)]
    return recipients(delivery, { answered, asksApproval: true }, this.#context)
      .filter((to) => to.deliveryClass === 'buffered' && !isPeer(to))
      .map((to) => this.#delivery(turn, to, partId, 'reminder'))
  }

  #escalation(turn: OpenTurn, originator: Originator, partId: string): EventDraft[] {
    const { turnId } = turn
    const approvalId = this.#approvalId
    return [
      { type: 'originatorJoined', originatorId: originator.id, approvalId, turnId, payload: { originator } },
      this.#delivery(turn, originator, partId, 'escalation'),
    ]
  }

  #delivery(turn: OpenTurn, to: Originator, partId: string, kind: 'reminder' | 'escalation'): EventDraft {
    const { turnId, messages } = turn
    const approvalId = this.#approvalId
    return defined({
      type: 'deliveryQueued',
      deliveryId: `${turnId}:${approvalId}:${this.#places.join(',')}:${to.id}`,
      turnId,
      originatorId: to.id,
      since: messages[0]?.seq ?? 1,
      partIds: [partId],
      followsUp: { approvalId, kind, number: Math.max(...this.#places) + 1 },
      trace: traceOf(turn),
    })
  }
}
