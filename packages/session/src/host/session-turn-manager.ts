import { isDeepStrictEqual } from 'node:util'
import {
  BeachError,
  type Actor,
  type Approver,
  type Channel,
  type DataRule,
  type Decision,
  type Envelope,
  type Frame,
  type Inbound,
  type Originator,
  type PartTypeRegistry,
  type Principal,
  type Runtime,
  type Sessions,
  type SessionView,
  type Slice,
  type StateMachineRegistry,
  type Store,
  type TurnStateRegistry,
} from '@cool-ai/beach-core'
import {
  EventRouter,
  ReportedLog,
  SessionLog,
  sliceState,
  stateSlice,
  type EventDraft,
  type LoggedEvent,
  type SessionState,
  type StateTransitionRefusal,
} from '@cool-ai/beach-core/log'
import {
  atOnce,
  type ApprovalFollowUp,
  type Audit,
  type ClientAnswered,
  type ClientOffer,
  type ClientResult,
  type CommittedReply,
  type DeadLetterEntry,
  type Decided,
  type ExposedCall,
  type FramePosition,
  type FoldedAround,
  type FrameSink,
  type Inspection,
  type JoinOptions,
  type KeyRetention,
  type ListenerTurn,
  type NewSessionOptions,
  type OpenOptions,
  type Page,
  type PendingApproval,
  type PostResult,
  type RecordTimes,
  type SessionActivity,
  type SessionAdmission,
  type SessionPeers,
  type SessionQuery,
  type SessionSummary,
  type SliceInputRequest,
  type Taken,
  type TakeOptions,
  type TracedTurn,
  type TokenUsage,
  type TurnPreview,
  type Watch,
} from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { LlmContextTranslator, SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { allowanceSlice } from '../approvals/allowance-slice.ts'
import { SessionApprovals } from '../approvals/session-approvals.ts'
import { answerDrafts, leftCalls } from '../clients/answer-calls.ts'
import { clientSlice, offerDrafts } from '../clients/client-slice.ts'
import { checkedFollowUps, followingUp } from '../approvals/follow-up-slice.ts'
import { deliverySlice } from '../delivery/delivery-slice.ts'
import { deliveryDrafts, pushChannels } from '../delivery/queue-deliveries.ts'
import { sendingDeliveries } from '../delivery/send-deliveries.ts'
import { checkedDataRules } from '../delivery/withheld.ts'
import type { Erasure } from '../erasure/erase-session.ts'
import { sessionKeys } from '../erasure/key-retention.ts'
import { Listening, type CanReceive } from '../feed/listening.ts'
import { sessionView } from '../feed/session-view.ts'
import type { FoldAt } from '../inspection/fold-at.ts'
import { lacksInjections } from '../manifests/injections.ts'
import { manifestSettledDraft, manifestSlice } from '../manifests/manifest-slice.ts'
import { workingManifests } from '../manifests/slot-work.ts'
import { onlyAction, retryKey, surfaceSlice } from '../surfaces/surface-slice.ts'
import { pressedDecision } from '../surfaces/take-actions.ts'
import {
  admission,
  checkOriginators,
  defaultLimits,
  inboundKind,
  type SessionLimits,
  type WhileBusy,
} from '../turn/admission.ts'
import { envelopeOf, type EnvelopeOfOptions, type EnvelopeTarget } from '../turn/envelope-of.ts'
import { tracedTurns } from '../turn/traced-turns.ts'
import { readTurnEvents } from '../turn/turn-material.ts'
import { turnUsage } from '../turn/turn-usage.ts'
import { pendingApprovals, turnSlice } from '../turn/turn-slice.ts'
import { Host } from './host.ts'
import type { RetryFailed } from './leased-session.ts'

/** Only the upkeep needs it. */
const idleSession = () => import('../erasure/idle-session.ts')
/** Only operators need it. */
const deadLetters = () => import('../delivery/dead-letters.ts')

/** What runs the turns of sessions: actors, store, registries, limits. */
export interface SessionTurnManagerOptions {
  readonly store: Store
  /** Called when a session's log may have changed by this process, with the events that were to be appended, if any. */
  readonly onChange?: ((session: string, events?: readonly EventDraft[]) => void) | undefined
  readonly runtime: Runtime
  readonly actors: Readonly<Record<string, Actor>>
  /** The actor that begins each turn; may be left out when there is only one. */
  readonly entry?: string | undefined
  readonly stateMachines?: StateMachineRegistry | undefined
  /** Called when a setState part was refused; the turn goes on without it. */
  readonly onStateTransitionRejected?: ((refusal: StateTransitionRefusal) => void) | undefined
  readonly templates?: SurfaceTemplateRegistry | undefined
  readonly translator?: LlmContextTranslator | undefined
  /** The language of llm-context for peers that name none; the translator's own, or English, when left out. */
  readonly llmContextLanguage?: string | undefined
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  // oxlint-disable-next-line typescript/no-explicit-any -- each slice has a state type of its own.
  readonly slices?: readonly Slice<any>[] | undefined
  readonly leaseMs?: number | undefined
  /** What a message does that comes while a turn runs; it waits for the next turn when this is left out. */
  readonly whileBusy?: WhileBusy | undefined
  readonly limits?: SessionLimits | undefined
  /** The limits of callers, by whichever channel they come; none when left out. */
  readonly admission?: SessionAdmission | undefined
  /** Where decisions and erasures are put on record; nowhere when left out. */
  readonly audit?: Audit | undefined
  /** Refuses, by throwing, what a principal may not ask for on any channel. */
  readonly authorise?: ((inbound: Inbound, by: Principal) => void) | undefined
  /** The peers of the agent; actions on their surfaces are passed on to them. */
  readonly peers?: SessionPeers | undefined
  /** Those of them that can push send answers by themselves. */
  readonly channels?: readonly Channel[] | undefined
  /** Who may decide approvals, in sessions that were opened without a policy of their own; owner and operators when left out. */
  readonly approvers?: readonly Approver[] | undefined
  /** Reminders of requests that no approver has decided, and other approvers who are asked then. */
  readonly approvalFollowUps?: readonly ApprovalFollowUp[] | undefined
  /** How long a grant is held before it is written, so that a denial in the same moment goes first; 0 when left out. */
  readonly grantHoldMs?: number | undefined
  /** Whether a turn whose actor failed is tried again, and after how long; it is not when this is left out. */
  readonly retryFailed?: RetryFailed | undefined
  /** What content may be sent where. */
  readonly dataRules?: readonly DataRule[] | undefined
}

/** Sessions on a store: takes messages, runs their turns, and lets listeners follow. */
export class SessionTurnManager implements Sessions, Inspection {
  readonly handledNamespaces: ReadonlySet<string>
  readonly ownTools: ReadonlySet<string>
  readonly #log: SessionLog
  /** For going through all sessions: sessions in use stay in the cache of the other log. */
  readonly #aside: SessionLog
  readonly #router: EventRouter
  readonly #host: Host
  readonly #listening: Listening
  readonly #options: SessionTurnManagerOptions
  readonly #envelopes: EnvelopeOfOptions
  readonly #approvals: SessionApprovals
  #foldAt: Promise<FoldAt> | undefined

  constructor(options: SessionTurnManagerOptions) {
    this.#options = options
    const { store, runtime, limits, actors, partTypes, turnStates, onChange } = options
    const envelopes = envelopeOptions(options)
    const dataRules = checkedDataRules(options.dataRules)
    const rules = { partTypes, turnStates, channels: pushChannels(options.channels) }
    const maxPartBytes = limits?.eventBytes ?? defaultLimits.eventBytes
    const pushes = (state: SessionState, drafts: readonly EventDraft[]) => deliveryDrafts(state, drafts, rules)
    const followUp = rules.channels.size > 0 ? pushes : undefined
    // The slices that run something need the log that they are part of.
    const slices = [
      stateSlice,
      turnSlice,
      clientSlice,
      surfaceSlice,
      allowanceSlice,
      workingManifests({
        runtime,
        partTypes,
        actors,
        log: () => log,
        followUp,
        maxPartBytes,
        view: (session) => this.#view(session),
      }),
      sendingDeliveries({ ...envelopes, ...rules, dataRules, store, log: () => log }),
      followingUp({ ...rules, runtime, log: () => log, followUps: checkedFollowUps(options.approvalFollowUps) }),
      ...(options.slices ?? []),
    ]
    const { telemetry } = runtime
    const opened = { store, runtime, slices, onChange }
    const log: SessionLog = telemetry ? new ReportedLog(opened, telemetry) : new SessionLog(opened)
    this.#aside = new SessionLog({ ...opened, maxCached: 20 })
    const { approvers, grantHoldMs } = options
    this.#approvals = new SessionApprovals({ store, runtime, log, aside: this.#aside, approvers, grantHoldMs })
    const { stateMachines, onStateTransitionRejected, retryFailed, translator, llmContextLanguage } = options
    const router = new EventRouter({
      store,
      runtime,
      log,
      stateMachines,
      peers: options.peers,
      admission: options.admission,
      onStateTransitionRejected,
      admit: admission(options),
      starter: (state, drafts) => this.#host.startHere(state, drafts),
    })
    this.#log = log
    this.handledNamespaces = log.handledNamespaces
    this.ownTools = new Set(Object.values(actors).flatMap(({ toolNames = [] }) => toolNames))
    this.#router = router
    this.#listening = new Listening({ store, log, router, runtime, partTypes, limits })
    this.#envelopes = envelopes
    telemetry?.watch(() => this.#host.load)
    this.#host = new Host({
      ...envelopes,
      store,
      log,
      router,
      actors,
      followUp,
      entry: entryOf(options),
      admission: options.admission?.limitsUsage === true ? options.admission : undefined,
      leaseMs: options.leaseMs ?? 10_000,
      maxPartBytes,
      peers: options.peers,
      maxTurns: limits?.concurrentTurns ?? defaultLimits.concurrentTurns,
      translator,
      llmContextLanguage,
      retryFailed,
      dataRules,
    })
  }

  /** Starts to run turns, first those that an earlier process left unfinished. */
  start(): void {
    this.#host.start()
  }

  /**
   * Starts no more turns and waits until running turns have ended, at most for `graceMs` or until `hurry` aborts.
   * Messages are still accepted: another process, or the next one, answers them.
   */
  drain(graceMs: number, hurry?: AbortSignal): Promise<void> {
    return this.#host.drain(graceMs, hurry)
  }

  /** Stops running turns and releases the sessions; the store stays open. */
  stop(): Promise<void> {
    return this.#host.stop()
  }

  open(options: OpenOptions): Promise<string> {
    return this.#router.open(options)
  }

  async post(session: string, message: Inbound, by: Principal, opening?: NewSessionOptions): Promise<PostResult> {
    const bytes = () => Buffer.byteLength(JSON.stringify(message.parts))
    await this.#options.admission?.message(by, bytes, message.from.transport)
    const action = message.dedupeKey === undefined ? onlyAction(message.parts) : undefined
    const keyed = action === undefined ? message : { ...message, dedupeKey: retryKey(action) }
    const { telemetry } = this.#options.runtime
    if (telemetry === undefined) return this.#router.receive(session, keyed, by, opening)
    const { transport } = message.from
    return telemetry.run({ kind: 'receive', session, transport, by }, async ({ traceparent, found }) => {
      const posted = await this.#router.receive(session, { ...keyed, trace: traceparent }, by, opening)
      found({ outcome: posted.duplicate ? 'duplicate' : 'received' })
      return posted
    })
  }

  async take(
    session: string,
    inbound: Inbound,
    by: Principal,
    { opening, checkDecision }: TakeOptions = {},
  ): Promise<Taken> {
    const kind = inboundKind(inbound.parts, this.handledNamespaces)
    if (kind.kind === 'slice') {
      return { kind: 'handled', reply: await this.handle(session, kind.ns, kind.said, by, opening) }
    }
    if (kind.kind === 'message') return { kind: 'posted', posted: await this.post(session, inbound, by, opening) }
    const answer =
      kind.kind === 'response'
        ? kind.answer
        : pressedDecision((await this.#router.find(session, by)).state, inbound.parts)
    checkDecision?.(answer)
    const { approvalId, ...decision } = answer
    const made = { ...decision, via: inbound.from.transport, dedupeKey: inbound.dedupeKey ?? decision.dedupeKey }
    return { kind: 'decided', answer, decided: await this.decide(approvalId, made, by, session) }
  }

  list(query: SessionQuery, by: Principal): Promise<Page<SessionSummary>> {
    return this.#router.list(query, by)
  }

  async checkAccess(session: string, by: Principal): Promise<Principal> {
    return (await this.#router.find(session, by)).owner
  }

  async view(session: string, by: Principal): Promise<SessionView> {
    const record = await this.#router.find(session, by)
    return sessionView(record, this.#router.coordinates(record.state))
  }

  async envelope(
    session: string,
    turnId: string,
    to: Originator,
    atLeast?: number,
    since = 1,
    without: ReadonlySet<string> = new Set(),
  ): Promise<Envelope | undefined> {
    const { state, head } = await this.#router.find(session, to.principal, atLeast)
    const place = sliceState(turnSlice, state).recent.find((turn) => turn.turnId === turnId)
    const read = (from: number) => readTurnEvents(this.#log, session, turnId, from, head)
    const events = await read(place?.seq ?? since)
    // Results of manifests that the turn began with may have come before that message.
    if (place === undefined && since > 1 && lacksInjections(events, turnId)) {
      return envelopeOf(await read(1), { session, turnId, to, without }, this.#envelopes)
    }
    return envelopeOf(events, { session, turnId, to, without }, this.#envelopes)
  }

  /** The same, made of events that were already read: those of the turn, from the first that it answers on. */
  envelopeFrom(events: readonly LoggedEvent[], place: EnvelopeTarget): Envelope | undefined {
    return envelopeOf(events, place, this.#envelopes)
  }

  async usage(
    session: string,
    turnId: string,
    by: Principal,
    { after, upTo }: { readonly after: number; readonly upTo: number },
  ): Promise<TokenUsage> {
    const { head } = await this.#router.find(session, by)
    return turnUsage(await readTurnEvents(this.#log, session, turnId, after + 1, Math.min(upTo, head)), turnId)
  }

  async preview(session: string, turnId: string, by: Principal): Promise<TurnPreview | undefined> {
    const { state, head, owner } = await this.#router.find(session, by)
    const { recent, turn } = sliceState(turnSlice, state)
    const since = recent.find((entry) => entry.turnId === turnId)?.seq ?? 1
    const events = await readTurnEvents(this.#log, session, turnId, since, head)
    const pending = turn?.turnId === turnId ? pendingApprovals(turn).map(({ approvalId }) => approvalId) : []
    const place = { sessionId: session, turnId, owner, pendingApprovals: pending }
    const { translator, llmContextLanguage } = this.#options
    const reaches: CanReceive = (frame, to) => this.#listening.reaches(frame, to)
    const { turnPreview } = await import('../turn/turn-preview.ts')
    return turnPreview(events, place, { ...this.#envelopes, reaches, translator, llmContextLanguage })
  }

  async decide(approvalId: string, decision: Decision, by: Principal, session?: string): Promise<Decided> {
    const decided = await this.#approvals.decide(approvalId, decision, by, session)
    if (decided === 'decided') {
      const detail = `${approvalId}: ${decision.decision} via ${decision.via ?? 'unknown'}`
      await this.#options.audit?.record({ by, kind: 'act', what: 'approval.decided', session, detail })
    }
    return decided
  }

  approvals(query: SessionQuery, by: Principal): Promise<Page<PendingApproval>> {
    return this.#approvals.pending(query, by)
  }

  revoke(session: string, approvalId: string, by: Principal): Promise<boolean> {
    return this.#approvals.revoke(session, approvalId, by)
  }

  async cancel(session: string, turn: string | undefined, by: Principal): Promise<boolean> {
    await this.#router.find(session, by)
    let running = false
    await this.#log.commit(
      session,
      (state) => {
        const open = sliceState(turnSlice, state).turn
        const isOpen = open !== undefined && (turn === undefined || open.turnId === turn)
        const manifests = isOpen
          ? []
          : Object.values(sliceState(manifestSlice, state)).filter(
              ({ turnId }) => turn === undefined || turnId === turn,
            )
        running = isOpen || manifests.length > 0
        if (!isOpen) return manifests.map((manifest) => manifestSettledDraft(manifest, 'cancelled'))
        return open.cancelled ? [] : [{ type: 'cancelRequested', turnId: open.turnId, payload: { by } }]
      },
      { wakeAt: atOnce },
    )
    return running
  }

  async withdraw(session: string, turnId: string, by: Principal): Promise<boolean> {
    await this.#router.find(session, by)
    let isWithdrawn = false
    await this.#log.commit(session, (state) => {
      const { turn, mailbox, recent } = sliceState(turnSlice, state)
      const last = recent.at(-1)
      const inputRequests = turn === undefined && mailbox.length === 0 && last?.turnId === turnId
      isWithdrawn = inputRequests && this.#asks(last.turnState)
      return isWithdrawn && last?.isWithdrawn !== true ? [{ type: 'questionWithdrawn', turnId, payload: { by } }] : []
    })
    return isWithdrawn
  }

  /** True for a turn state in which a settled turn waits to be answered. */
  #asks(turnState = ''): boolean {
    return turnState === 'clarifying' || this.#options.turnStates.get(turnState)?.outcome === 'auth-required'
  }

  async offer(session: string, from: Originator, offer: ClientOffer, by: Principal): Promise<void> {
    await this.#router.find(session, by)
    await this.#log.commit(session, (state) => offerDrafts(state, from.id, offer))
  }

  async answerCalls(
    session: string,
    results: readonly ClientResult[],
    from: Originator,
    by: Principal,
  ): Promise<readonly ClientAnswered[]> {
    await this.#router.find(session, by)
    const now = this.#options.runtime.clock.now()
    let answered: readonly ClientAnswered[] = []
    const decide = (state: SessionState) => {
      const answer = answerDrafts(state, results, from, { by, now })
      answered = answer.answered
      return answer.drafts
    }
    await this.#log.commit(session, decide, { wakeAt: atOnce })
    return answered
  }

  async recordCall(session: string, call: ExposedCall, by: Principal): Promise<void> {
    await this.#router.find(session, by)
    await this.#log.commit(session, () => {
      if ('outcome' in call) {
        const { callId, outcome, value } = call
        return [{ type: 'exposedToolFinished', callId, outcome, payload: { value } }]
      }
      const { callId, name, args } = call
      return [{ type: 'exposedToolStarted', callId, name, payload: { by, args } }]
    })
  }

  async handle(
    session: string,
    ns: string,
    said: unknown,
    by: Principal,
    opening?: NewSessionOptions,
  ): Promise<CommittedReply> {
    await this.#options.admission?.message(by, () => Buffer.byteLength(JSON.stringify(said)))
    return this.#router.handle(session, ns, said, by, opening)
  }

  async inputRequests(session: string, by: Principal): Promise<readonly SliceInputRequest[]> {
    const { state } = await this.#router.find(session, by)
    return this.#log.inputRequests(state)
  }

  async join(session: string, originator: Originator, by: Principal, options: JoinOptions = {}): Promise<void> {
    await this.#router.find(session, by)
    const hears = options.hears === 'approvals' ? options.hears : undefined
    await this.#log.commit(session, (state) => {
      checkOriginators(state, originator.id, this.#options.limits)
      const entry = sliceState(deliverySlice, state).originators[originator.id]
      const isThere = entry?.listens === true && entry.hears === hears
      if (isThere && isDeepStrictEqual(entry.originator, originator)) return []
      return [defined({ type: 'originatorJoined', originatorId: originator.id, hears, payload: { originator } })]
    })
  }

  async originators(session: string, by: Principal): Promise<readonly Originator[]> {
    const { state } = await this.#router.find(session, by)
    return Object.values(sliceState(deliverySlice, state).originators).flatMap(({ originator }) => originator ?? [])
  }

  async leave(session: string, originatorId: string, by: Principal): Promise<boolean> {
    await this.#router.find(session, by)
    let calls: readonly EventDraft[] = []
    const leave = (state: SessionState): EventDraft[] => {
      const known = Object.hasOwn(sliceState(deliverySlice, state).originators, originatorId)
      calls = leftCalls(state, new Set([originatorId]))
      return known ? [{ type: 'originatorLeft', originatorId }, ...calls] : []
    }
    const wakeAt = () => (calls.length > 0 ? atOnce : undefined)
    const { events } = await this.#log.commit(session, leave, { wakeAt })
    return events.length > 0
  }

  async redeliver(session: string, deliveryId: string, by: Principal): Promise<boolean> {
    operatorsOnly(by)
    await this.#router.find(session, by)
    const { redeliver } = await deadLetters()
    return redeliver(session, deliveryId, by, { store: this.#options.store, log: this.#log })
  }

  async deadLetters(query: SessionQuery, by: Principal): Promise<Page<DeadLetterEntry>> {
    operatorsOnly(by)
    const { listDeadLetters } = await deadLetters()
    return listDeadLetters(query, by, { store: this.#options.store, log: this.#log })
  }

  async tracedTurns(traceId: string, by: Principal): Promise<readonly TracedTurn[]> {
    operatorsOnly(by)
    return tracedTurns(this.#options.store, traceId, by)
  }

  async foldAround(session: string, seq: number, by: Principal): Promise<FoldedAround | undefined> {
    operatorsOnly(by)
    await this.#router.find(session, by)
    this.#foldAt ??= import('../inspection/fold-at.ts').then(({ FoldAt: Opened }) => {
      return new Opened(this.#aside, this.#options.runtime.clock)
    })
    return (await this.#foldAt).around(session, seq)
  }

  async turnListeners(
    session: string,
    turnId: string,
    since: number,
    by: Principal,
  ): Promise<readonly ListenerTurn[] | undefined> {
    operatorsOnly(by)
    const { state, head } = await this.#router.find(session, by)
    const events = await readTurnEvents(this.#log, session, turnId, since, head)
    const { originators } = sliceState(deliverySlice, state)
    const options = { ...this.#envelopes, channels: pushChannels(this.#options.channels) }
    const { turnListeners } = await import('../inspection/turn-listeners.ts')
    return turnListeners(events, { session, turnId, originators, options })
  }

  /** Folds a session's whole log anew, in place of its snapshot. For operators. */
  async rebuild(session: string, by: Principal): Promise<SessionView> {
    operatorsOnly(by)
    await this.#router.find(session, by)
    const record = await this.#log.rebuild(session)
    return sessionView(record, this.#router.coordinates(record.state))
  }

  /**
   * Erases content of people from a session's log for good, and returns how many events have lost something. A session
   * that is erased as a whole has no owner any more. For its owner and operators.
   */
  async erase(session: string, what: Erasure, by: Principal): Promise<number> {
    const { store, runtime } = this.#options
    const cancel = (id: string, who: Principal) => this.cancel(id, undefined, who)
    // What a rule of retention erases is no news.
    if (what.scope !== 'before') {
      await this.#options.audit?.record({ by, kind: 'act', what: 'data.erase', session, detail: what.scope })
    }
    const { eraseFromLog } = await import('../erasure/erase-session.ts')
    const count = await eraseFromLog({ log: this.#log, store, runtime, cancel }, session, what, by)
    ;(await this.#foldAt)?.forget(session)
    return count
  }

  /** The state of a session, to decide whether it is still needed; undefined for one that does not exist. */
  async activity(session: string): Promise<SessionActivity | undefined> {
    const { sessionActivity } = await idleSession()
    return sessionActivity(this.#aside, session)
  }

  /**
   * Closes a session in which nothing is in progress and nothing has happened since a time; false when it is needed.
   */
  async closeIdle(session: string, before: number): Promise<boolean> {
    const { closeIdle } = await idleSession()
    return closeIdle(this.#aside, session, before)
  }

  /** Forgets the log of a session that was closed or erased. */
  async dropClosed(session: string): Promise<void> {
    const { dropClosed } = await idleSession()
    await dropClosed(this.#aside, this.#options.store, session)
    this.#log.forget(session)
    this.#options.onChange?.(session)
  }

  /** When the keys of sessions may go. */
  keyRetention(times: RecordTimes): readonly KeyRetention[] {
    return sessionKeys(times)
  }

  follow(session: string, to: Originator, after: FramePosition | undefined, signal: AbortSignal): AsyncIterable<Frame> {
    return this.#listening.follow(session, to, after, signal)
  }

  watch(session: string, to: Originator, after: FramePosition | undefined, sink: FrameSink): Promise<Watch> {
    return this.#listening.watch(session, to, after, sink)
  }

  history(session: string, to: Originator, after?: FramePosition): AsyncIterable<Frame> {
    return this.#listening.history(session, to, after)
  }

  /** The session as its host sees it. */
  async #view(session: string): Promise<SessionView> {
    const record = await this.#log.load(session)
    return sessionView(record, this.#router.coordinates(record.state))
  }
}

function operatorsOnly({ kind }: Principal): void {
  if (kind !== 'operator') throw new BeachError('FORBIDDEN', 'This is for operators only.')
}

/**
 * What envelopes are made with, and nothing else of the options: a context that is passed on whole brings unrelated
 * members.
 */
function envelopeOptions(options: SessionTurnManagerOptions): EnvelopeOfOptions {
  const { runtime, partTypes, turnStates, templates } = options
  return { runtime, partTypes, turnStates, templates }
}

export function entryOf({ actors, entry }: Pick<SessionTurnManagerOptions, 'actors' | 'entry'>): string {
  const names = Object.keys(actors)
  const name = entry ?? (names.length === 1 ? names[0] : undefined)
  if (name !== undefined && Object.hasOwn(actors, name)) return name
  const known = names.length === 0 ? 'none is registered' : `registered are ${names.join(', ')}`
  const problem = name === undefined ? 'Which actor begins a turn? Name it in `entry`' : `There is no actor '${name}'`
  throw new BeachError('INVALID_CONFIGURATION', `${problem}: ${known}.`)
}
