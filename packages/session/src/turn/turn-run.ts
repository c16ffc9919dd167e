import {
  BeachError,
  type Actor,
  type DataRule,
  type Decision,
  type Injection,
  type LiveText,
  type ManifestPlan,
  type Message,
  type Part,
  type PartTypeRegistry,
  type Principal,
  type Runtime,
  type SessionView,
  type Step,
  type Store,
  type ToolOutcome,
  type TurnContext,
  type TurnState,
  type TurnStateRegistry,
} from '@cool-ai/beach-core'
import {
  sessionSlice,
  sliceState,
  type EventDraft,
  type EventRouter,
  type SessionLog,
  type SessionRecord,
  type SessionState,
  type Transitions,
} from '@cool-ai/beach-core/log'
import type {
  CommittedStep,
  ForwardedAction,
  Note,
  OfferedTool,
  PastTurn,
  PlannedTool,
  SessionAdmission,
  SessionPeers,
  ShowLive,
} from '@cool-ai/beach-core/ports'
import type { TurnStateEntry } from '@cool-ai/beach-core/registries'
import { isForeign, mergedOrigins, originsOfPart } from '@cool-ai/beach-core/ports'
import { traceIdOf } from '@cool-ai/beach-core/runtime'
import type { SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { bindApprovals } from '../approvals/approvals.ts'
import type { TurnOffers } from '../clients/turn-offers.ts'
import { sessionView } from '../feed/session-view.ts'
import type { RetryFailed } from '../host/leased-session.ts'
import { Stop, type LazyAbortController } from '../host/signals.ts'
import { manifestSettledDraft, manifestSlice } from '../manifests/manifest-slice.ts'
import { TurnManifests } from '../manifests/turn-manifests.ts'
import { catalogIn, checkedSurfaces } from '../surfaces/check-surfaces.ts'
import { plannedForwards, type SentAction } from '../surfaces/forward-actions.ts'
import { collect, llmContext, type Translates } from './collect.ts'
import { OpenStep, ToolTexts } from './open-step.ts'
import { cancelledDrafts, checkStep, failedDrafts, stepDrafts, type StepPosition, type WrittenStep } from './step.ts'
import { ToolRuns } from './tool-runs.ts'
import { trustedTexts } from './recipients.ts'
import { pastPlaces, pastTurns, type TurnMaterial } from './turn-material.ts'
import { tracedTurnKey } from './traced-turns.ts'
import { traceOf, turnSlice, type OpenTurn } from './turn-slice.ts'

/** What a turn runs on. */
export interface TurnRunContext {
  readonly store: Store
  readonly log: SessionLog
  readonly router: EventRouter
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  readonly templates?: SurfaceTemplateRegistry | undefined
  readonly actors: Readonly<Record<string, Actor>>
  /** The actor that begins each turn. */
  readonly entry: string
  /** What else a commit of a turn leads to, such as deliveries. */
  readonly followUp?: ((state: SessionState, drafts: readonly EventDraft[]) => EventDraft[]) | undefined
  /** The largest part that a step may have, in bytes. */
  readonly maxPartBytes: number
  /** Counts what turns use, and says when it is too much; there is no limit when this is left out. */
  readonly admission?: Pick<SessionAdmission, 'used' | 'spent'> | undefined
  /** The agents that this one asks. */
  readonly peers?: SessionPeers | undefined
  /** What content may be sent where. */
  readonly dataRules?: readonly DataRule[] | undefined
  /** Makes llm-context for peers whose models want it. */
  readonly translator?: Translates | undefined
  /** The language of llm-context for peers that name none. */
  readonly llmContextLanguage?: string | undefined
  /** Refuses a context whose `limits` would be taken for those of merging. */
  readonly limits?: never
}

/** Where a run begins: the open turn as it is in the log. */
export interface TurnStart {
  readonly record: SessionRecord
  /** The epoch of the host that runs it. */
  readonly epoch: number
  readonly turn: OpenTurn
  readonly material: TurnMaterial
  /** What its clients offer; most have none. */
  readonly offers?: TurnOffers | undefined
}

/** A step whose parts are in order. */
type CheckedParts = Omit<Step, 'parts'> & { readonly parts: readonly Part[] }

/** The turn is settled, another actor has it, or it waits: for a decision, for a result, or to be tried again. */
export type TurnEnd = 'settled' | 'passed' | 'waiting'

// Steps that ask for an approval, or that a tool commits while it runs, are not the actor's: it does not count them
// when it runs again.
const ownStep = '~'
const approvalStep = `${ownStep}approval`

/** One run of a turn by one actor and host: the actor's context, and the commits that make its steps durable. */
export class TurnRun implements TurnContext {
  readonly turnId: string
  readonly actor: string
  readonly messages: readonly Message[]
  forwarded: readonly ForwardedAction[] = []
  readonly began: readonly Injection[]
  readonly committed: readonly CommittedStep[]
  readonly decisions: ReadonlyMap<string, Decision>
  readonly clientTools: readonly OfferedTool[]
  readonly clientState: unknown
  /** The origins of all that the turn has seen, those that are not on record yet included. */
  #origins: readonly string[]
  /** How this run has ended, once it has. */
  end: TurnEnd | undefined
  /** Notified when something is new in the log; most turns do without. */
  turnManifests: TurnManifests | undefined
  readonly #context: TurnRunContext
  readonly #stop: LazyAbortController
  readonly #start: TurnStart
  readonly #session: string
  #view: SessionView | undefined
  /** What most turns do without is made when it is first needed. */
  #toolRuns: ToolRuns | undefined
  #toolTexts: ToolTexts | undefined
  readonly #said: Part[]
  #nextStep: number
  #openStep: OpenStep
  #closed = false
  #handsOver = false
  #runningTools = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(context: TurnRunContext, start: TurnStart, stop: LazyAbortController) {
    const { turn, material } = start
    this.#context = context
    this.#stop = stop
    this.#start = start
    this.#session = start.record.session
    this.actor = turn.actor
    this.turnId = turn.turnId
    this.messages = material.messages
    this.began = material.began
    this.decisions = material.decisions
    this.clientTools = start.offers?.tools ?? []
    this.clientState = start.offers?.state
    this.#origins = turn.origins ?? []
    this.#said = [...material.parts]
    this.committed = turn.steps
      .slice(turn.firstStep)
      .filter(({ hash }) => !hash.startsWith(ownStep))
      .map(({ step, hash, turnState }) => ({ step, hash, turnState, answer: material.answers.get(step) }))
    this.#nextStep = turn.steps.length
    this.#openStep = this.#open()
  }

  /** Made on first access: most actors do not need it. */
  get view(): SessionView {
    const { record, epoch } = this.#start
    return (this.#view ??= { ...sessionView(record, this.#context.router.coordinates(record.state)), epoch })
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get traceId(): string {
    return traceIdOf(this.turnId, traceOf(this.#start.turn))
  }

  /** The catalog of a surface, as far as this run knows it. */
  readonly catalogOf = (surfaceId: string): string | undefined => {
    return catalogIn(surfaceId, this.#start.record.state, this.#said)
  }

  /** The foreign origins of what the turn has seen so far. */
  get origins(): readonly string[] {
    return this.#origins.filter(isForeign)
  }

  sees(origins: readonly string[] = []): void {
    if (origins.length > 0) this.#origins = mergedOrigins(this.#origins, origins)
  }

  live(text: LiveText): void {
    this.#check()
    this.#openStep.add(text)
  }

  retract(): void {
    this.#check()
    this.#openStep.retract()
  }

  /** Sends the open step's text again, for a feed that lacks some of it. */
  repeat(): void {
    if (this.#closed) return
    this.#openStep.repeat()
    this.#toolTexts?.repeat()
  }

  /** One step after the other: tools that run in parallel may emit at the same time. */
  commit(step: Step): Promise<void> {
    this.#check()
    const committed = this.#last.then(() => this.#commit(step))
    this.#last = committed.catch(() => {})
    return committed
  }

  /** Ends this run at its next clean point: after a step, when no tool runs. The next host goes on from there. */
  handOver(): void {
    this.#handsOver = true
  }

  #cleanPoint(): void {
    if (this.#closed || this.#runningTools > 0) return
    this.#stop.abort(new Stop('shutdown'))
    throw this.#stop.reason
  }

  async #commit(step: Step): Promise<void> {
    this.#check()
    const { state, parts: checked } = checkStep(step, this.#context, this)
    const parts = checked.some(({ metadata }) => metadata.partType === 'error') ? await this.#traced(checked) : checked
    if (step.turnState === 'suspended') await this.#bindApprovals(parts)
    const { turn, material, record } = this.#start
    const hasResults = this.turnManifests !== undefined || turn.manifests.length + material.injections.length > 0
    const before = state.emitsEnvelope && hasResults ? [...(await this.#results()), ...this.#said] : this.#said
    const { translator, llmContextLanguage } = this.#context
    const translating = state.emitsEnvelope && translator !== undefined && { translator, llmContextLanguage }
    const context = translating ? await llmContext([...before, ...parts], record.state, this, translating) : []
    await this.#appendStep({ ...step, parts: [...parts, ...context] }, before, state)
    if (step.notes !== undefined && step.notes.length > 0) this.#count(step.notes)
    if (step.passTo !== undefined) this.close('passed')
    else if (state.isTerminal) this.close('settled')
    else if (step.turnState === 'suspended' || !state.holdsActor) this.close('waiting')
    if (this.#handsOver) this.#cleanPoint()
  }

  #bindApprovals(parts: readonly Part[]): Promise<void> {
    const { tenant = '' } = sliceState(sessionSlice, this.#start.record.state)
    return bindApprovals(this.#context.store, { session: this.#session, tenant }, parts)
  }

  /**
   * Passes actions on surfaces of peers on before the actor begins; undefined when there are none. Each is passed on once
   * in the turn, whichever actors have it: after that it is answered from the log.
   */
  passOn(): Promise<void> | undefined {
    const actions = this.messages.flatMap(({ messageId, parts }) =>
      parts.filter(({ metadata }) => metadata.partType === 'a2ui-action').map((part) => ({ messageId, part })),
    )
    return actions.length === 0 ? undefined : this.#passOn(actions)
  }

  /** One after the other: a peer must get them in the order in which the user made them. */
  async #passOn(actions: readonly SentAction[]): Promise<void> {
    const planned = plannedForwards(actions, this.#context.peers, () => this.view)
    const forwarded: ForwardedAction[] = []
    for (const [index, { messageId, peer, tool }] of planned.entries()) {
      this.#check()
      const place = `f-${index}`
      const [outcome] = await (this.#handsOver ? this.#noMoreTools() : this.#runTools([tool], place))
      if (outcome !== undefined) forwarded.push({ messageId, peer, outcome })
    }
    this.forwarded = forwarded
  }

  tools<Value>(planned: readonly PlannedTool<Value>[]): Promise<ToolOutcome<Value>[]> {
    this.#check()
    return this.#handsOver ? this.#noMoreTools() : this.#runTools(planned)
  }

  async #runTools<Value>(planned: readonly PlannedTool<Value>[], place?: string): Promise<ToolOutcome<Value>[]> {
    this.#runningTools++
    let outcomes: ToolOutcome<Value>[]
    try {
      outcomes = await this.#tools.run(planned, place)
    } finally {
      this.#runningTools--
    }
    if (this.#handsOver) this.#cleanPoint()
    return outcomes
  }

  /** Running tools come to their end first; the run ends with the last of them. */
  async #noMoreTools(): Promise<never> {
    this.#cleanPoint()
    return this.#stop.or(new Promise<never>(() => {}))
  }

  manifest(plan: ManifestPlan): Promise<string> {
    this.#check()
    return this.#manifests.open(plan)
  }

  async injected(seen: number, options?: { readonly wait?: boolean }): Promise<readonly Injection[]> {
    this.#check()
    const news = await this.#manifests.injected(seen, options)
    this.#manifests.given(seen + news.length)
    if (news.length > 0) this.sees(this.#manifests.origins)
    return news
  }

  /** Counts a new turn; why it may not begin, if it may not. */
  begin(): string | undefined {
    const spent = this.spent()
    if (spent === undefined) this.#context.admission?.used(this.#owner, { turns: 1 })
    return spent
  }

  spent(): string | undefined {
    return this.#context.admission?.spent(this.#owner)
  }

  /** Counts what the model calls of a step have used, once that is on record. */
  #count(notes: readonly Note[]): void {
    for (const { kind, value } of notes) {
      if (kind !== 'usage') continue
      const { inputTokens = 0, outputTokens = 0, cost } = value as Partial<Record<string, number>>
      this.#context.admission?.used(this.#owner, { tokens: inputTokens + outputTokens, cost })
    }
  }

  get #owner(): Principal {
    const { owner, tenant = '' } = sliceState(sessionSlice, this.#start.record.state)
    return owner ?? { kind: 'anonymous', id: '', tenant }
  }

  history(max: number): Promise<PastTurn[]> {
    const { state } = this.#start.record
    // What earlier turns have seen is in their answers.
    for (const { origins } of pastPlaces(state, max)) this.sees(origins)
    return pastTurns(this.#context.log, this.#session, state, max)
  }

  /** Ends the turn without the actor: the shown text stays, marked as truncated. */
  async cancel(): Promise<void> {
    this.close('settled')
    const shown = this.#openStep.truncated()
    await this.#appendEnd((place) => {
      // A step whose acknowledgement was lost is in the log: then its text is not cut off.
      return cancelledDrafts(place, place.step > this.#nextStep ? [] : shown)
    })
  }

  /**
   * An error part tells the user what it may know. It ends the turn, unless the policy lets it be tried again: then the
   * part says when, and comes again with each further failure.
   */
  async fail(text: string, code: string, retryFailed: RetryFailed = () => undefined): Promise<void> {
    const failures = this.#start.turn.failures + 1
    const delay = retryFailed({ code, failures })
    if (delay !== undefined) return this.#retry(text, code, failures, delay)
    this.close('settled')
    this.#openStep.retract()
    const traceId = await this.#trace()
    await this.#appendEnd((place) => failedDrafts(place, { text, metadata: { partType: 'error', code, traceId } }))
  }

  async #retry(text: string, code: string, failures: number, delay: number): Promise<void> {
    const { turnId } = this
    const place = { turnId, step: this.#nextStep }
    this.#openStep.retract()
    const traceId = await this.#trace()
    await this.#append(() => {
      // When it is written, so that both the time of planning and the planned time are by the same clock.
      const retryAt = this.#context.runtime.clock.now() + Math.max(delay, 0)
      const metadata = { partType: 'error', code, traceId, retryAt: new Date(retryAt).toISOString(), failures }
      return [
        ...stepDrafts(place, { turnState: 'awaiting', parts: [{ text, metadata }], hash: `${ownStep}failure` }),
        { type: 'turnRetryScheduled', turnId, failures, retryAt },
      ]
    })
    this.close('waiting')
  }

  /** The trace that the turn belongs to, by which an operator finds the turn from now on. */
  async #trace(): Promise<string> {
    const { traceId } = this
    const { tenant = '' } = sliceState(sessionSlice, this.#start.record.state)
    await this.#context.store.bind(tracedTurnKey(tenant, traceId, this.turnId), this.#session)
    return traceId
  }

  /** The parts, with the trace on those that tell of an error. */
  async #traced(parts: readonly Part[]): Promise<readonly Part[]> {
    const traceId = await this.#trace()
    return parts.map((part) => {
      return part.metadata.partType === 'error' ? { ...part, metadata: { ...part.metadata, traceId } } : part
    })
  }

  /** From here on the actor can change nothing any more. */
  close(end = this.end): void {
    this.end = end
    this.#closed = true
  }

  #check(): void {
    if (this.#stop.aborted) throw this.#stop.reason
    if (this.#closed) throw new BeachError('TURN_CLOSED', 'This actor has handed over its turn; it cannot add to it.')
  }

  get #tools(): ToolRuns {
    return (this.#toolRuns ??= new ToolRuns({
      start: this.#start,
      stop: this.#stop,
      runtime: this.#context.runtime,
      append: (drafts) => this.#append(() => [...drafts]),
      emit: (parts, place, turnState) => this.#emit({ parts, turnState, hash: `${ownStep}${place}` }),
      live: (name, more) => this.#showText(name, more),
      ended: (callId) => this.#toolTexts?.ended(callId),
      suspend: (requests) => this.#suspend(requests),
      awaitClients: () => this.#awaitClients(),
      origins: () => this.#origins,
      sees: (origins) => this.sees(origins),
      dataRules: this.#context.dataRules ?? [],
      trustedTexts: async () => {
        const { state } = await this.#context.log.load(this.#session)
        return trustedTexts(this.#context.log, this.#session, state)
      },
      now: () => this.#context.runtime.clock.now(),
      manifest: (plan, place) => this.#manifests.open(plan, place),
    }))
  }

  get #manifests(): TurnManifests {
    return (this.turnManifests ??= new TurnManifests({
      context: this.#context,
      start: this.#start,
      stop: this.#stop,
      append: (decide) => this.#append(decide),
      origins: () => (this.#origins.length === 0 ? undefined : this.#origins),
    }))
  }

  /**
   * The emitted part at one place of a tool's run; one that an interrupted run has emitted before is not emitted again.
   */
  async #emit(step: Step): Promise<void> {
    if (!this.#start.turn.steps.some(({ hash }) => hash === step.hash)) await this.commit(step)
  }

  /** Text of a tool that has begun to emit; once the turn is over it is discarded. */
  #showText(name: string, more: Parameters<ShowLive>[1]): void {
    if (this.#closed || this.#stop.aborted) return
    this.#toolTexts ??= new ToolTexts(() => this.#open())
    if (more === undefined) this.#toolTexts.retract(name)
    else this.#toolTexts.add(name, more)
  }

  #open(): OpenStep {
    const place = { session: this.#session, epoch: this.#start.epoch, turnId: this.turnId, step: this.#nextStep }
    return new OpenStep(this.#context.store, place)
  }

  /** The data that manifests have brought so far. */
  async #results(): Promise<Part[]> {
    const injections = await this.#manifests.injected(0)
    return injections.flatMap((injection) => (injection.kind === 'slot' ? (injection.part ?? []) : []))
  }

  async #appendStep(step: CheckedParts, before: readonly Part[], meaning: TurnStateEntry): Promise<void> {
    const { turnId } = this
    // Text alone changes no state and makes no surface.
    const hasData = [...before, ...step.parts].some(({ data }) => data !== undefined)
    let written: WrittenStep = step
    let refused: Transitions['refused'] = []
    this.sees(step.parts.flatMap(originsOfPart))
    await this.#append((state, turn) => {
      if (hasData) ({ written, refused } = this.#collect(state, step, before))
      const isReleased = !meaning.isTerminal && !meaning.holdsActor
      if (isReleased) this.#checkRelease(step.turnState, state)
      const released = isReleased ? this.#manifests.seen : undefined
      const drafts = stepDrafts(
        { turnId, step: this.#nextStep },
        { ...written, released, origins: this.#origins.length > 0 ? this.#unrecorded(turn) : undefined },
      )
      if (!meaning.isTerminal || step.passTo !== undefined) return drafts
      const { turnState, finalizedBy = turnState } = step
      return [...drafts, { type: 'turnSettled', turnId, turnState, finalizedBy }]
    })
    if (refused.length > 0) this.#context.router.rejected(this.#session, turnId, refused)
    this.#said.push(...written.parts)
    this.#nextStep++
    this.#openStep = this.#open()
    this.#toolTexts?.said(step.hash.slice(ownStep.length))
    this.#toolTexts?.next(!meaning.isTerminal && step.turnState !== 'suspended')
  }

  /** The origins that are not on record yet; undefined when all are. */
  #unrecorded({ origins: recorded = [] }: OpenTurn): readonly string[] | undefined {
    const added = this.#origins.filter((origin) => !recorded.includes(origin))
    return added.length === 0 ? undefined : added
  }

  /** The step with what its data leads to: changes of the state, and surfaces. */
  #collect(state: SessionState, step: CheckedParts, before: readonly Part[]) {
    const { turnId } = this
    const { parts: said, drafts: changes, refused } = this.#context.router.transitions(state, step.parts, { turnId })
    const parts = checkedSurfaces(state, said, this.#context.partTypes)
    const place = { sessionId: this.#session, turnId, turnState: step.turnState }
    const { approvals, ...collected } = collect({ ...place, parts }, before, this.#context)
    const notes = [...(step.notes ?? []), ...collected.notes]
    return { written: { ...step, notes, parts: [...parts, ...collected.parts], approvals, changes }, refused }
  }

  /** A host that releases an unfinished turn must schedule a wake. */
  #checkRelease(turnState: TurnState, state: SessionState): void {
    const { turn } = sliceState(turnSlice, state)
    if (turn !== undefined && turn.injections.length > this.#manifests.seen) return
    if (Object.values(sliceState(manifestSlice, state)).some(({ turnId }) => turnId === this.turnId)) return
    throw new BeachError(
      'INVALID_STATE',
      `The turn state '${turnState}' leaves the turn without its actor, and no manifest is open that would bring it back.`,
    )
  }

  /** Appends to the turn; the actor's steps no longer count once the turn is to end otherwise. */
  async #append(decide: (state: SessionState, turn: OpenTurn) => EventDraft[], isEnd = false): Promise<void> {
    const { log, followUp } = this.#context
    const { epoch } = this.#start
    await log.commit(
      this.#session,
      (state) => {
        const { turn } = sliceState(turnSlice, state)
        if (turn?.turnId !== this.turnId) throw new BeachError('TURN_CLOSED', 'This turn has already settled.')
        if (!isEnd && (turn.cancelled || this.#closed)) throw new BeachError('TURN_CLOSED', 'This turn is being ended.')
        const drafts = decide(state, turn)
        return [...drafts, ...(followUp?.(state, drafts) ?? [])].map((draft) => ({ ...draft, epoch }))
      },
      { epoch },
    )
  }

  /** Appends the end of a turn that its actor can no longer change; the work that it had started ends with it. */
  #appendEnd(make: (place: StepPosition) => EventDraft[]): Promise<void> {
    return this.#append((state, turn) => {
      const drafts = make({ turnId: this.turnId, step: turn.steps.length })
      const manifests = Object.values(sliceState(manifestSlice, state)).filter(({ turnId }) => turnId === this.turnId)
      return [...manifests.map((manifest) => manifestSettledDraft(manifest, 'cancelled')), ...drafts]
    }, true)
  }

  /** Waits for clients to run what they were called for, and ends this run. */
  async #awaitClients(): Promise<never> {
    const { turnId } = this
    const step = this.#nextStep - 1
    await this.#append(() => [{ type: 'turnStateChanged', turnId, step, turnState: 'awaiting', waitsForClient: true }])
    this.close('waiting')
    throw new Stop('suspended')
  }

  /** Waits for decisions: asks for those that were not asked for yet, and ends this run. */
  async #suspend(requests: readonly Part[]): Promise<never> {
    if (requests.length > 0) {
      await this.commit({ turnState: 'suspended', parts: requests, hash: approvalStep })
    } else {
      const step = this.#nextStep - 1
      await this.#append(() => [{ type: 'turnStateChanged', turnId: this.turnId, step, turnState: 'suspended' }])
      this.close('waiting')
    }
    throw new Stop('suspended')
  }
}
