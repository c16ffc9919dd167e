import {
  BeachError,
  contentHash,
  isBeachError,
  partId,
  sliceState,
  type CommittedStep,
  type Decision,
  type EventDraft,
  type EventRouter,
  type LiveText,
  type Message,
  type Part,
  type PartTypeRegistry,
  type Runtime,
  type SessionLog,
  type SessionState,
  type SessionView,
  type Step,
  type Store,
  type ToolCall,
  type ToolOutcome,
  type TurnContext,
  type TurnStateRegistry,
} from '@cool-ai/beach-core'
import type { SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { approvalKey, approvalPart, requestDrafts } from './approvals.ts'
import { collect } from './collect.ts'
import { OpenStep } from './open-step.ts'
import { checkStep } from './step-check.ts'
import { Stop } from './stop.ts'
import type { TurnMaterial } from './turn-material.ts'
import { turnSlice, type OpenTurn, type ToolEntry } from './turn-slice.ts'

/** What a turn runs on. */
export interface TurnWorld {
  readonly store: Store
  readonly log: SessionLog
  readonly router: EventRouter
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  readonly templates?: SurfaceTemplateRegistry
  readonly actorNames: readonly string[]
}

// The step that asks for a tool's approval is Beach's own: an actor that runs again does not count it.
const approvalStep = 'approval:'

/** One run of a turn by one actor and host: what the actor is given, and the commits that make its steps durable. */
export class TurnRun implements TurnContext {
  readonly view: SessionView
  readonly turnId: string
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
  readonly committed: readonly CommittedStep[]
  readonly decisions: ReadonlyMap<string, Decision>
  readonly #world: TurnWorld
  readonly #session: string
  readonly #epoch: number
  readonly #actor: string
  readonly #tools: readonly ToolEntry[]
  readonly #toolValues: ReadonlyMap<string, unknown>
  readonly #said: Part[]
  #nextTool: number
  #nextStep: number
  #openStep: OpenStep
  #end: 'settled' | 'passed' | 'suspended' | undefined
  #closed = false

  constructor(world: TurnWorld, view: SessionView, turn: OpenTurn, material: TurnMaterial, signal: AbortSignal) {
    this.#world = world
    this.#session = view.sessionId
    this.#epoch = view.epoch
    this.#actor = turn.actor
    this.view = view
    this.turnId = turn.turnId
    this.messages = material.messages
    this.decisions = material.decisions
    this.signal = signal
    this.#tools = turn.tools
    this.#toolValues = material.toolValues
    this.#said = [...material.parts]
    this.committed = turn.steps
      .slice(turn.firstStep)
      .filter(({ hash }) => !hash.startsWith(approvalStep))
      .map(({ step, hash, turnState }) => ({ step, hash, turnState, answer: material.answers.get(step) }))
    this.#nextTool = turn.firstTool
    this.#nextStep = turn.steps.length
    this.#openStep = this.#open()
  }

  /** How this run has ended, once it has: the turn is settled, another actor has it, or it waits for a decision. */
  get end(): 'settled' | 'passed' | 'suspended' | undefined {
    return this.#end
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
    if (!this.#closed) this.#openStep.repeat()
  }

  async commit(step: Step): Promise<void> {
    this.#check()
    const { state, parts } = checkStep(step, this.#world)
    await this.#bindApprovals(parts)
    await this.#appendStep(step, parts, state.isTerminal && step.passTo === undefined)
    if (step.passTo !== undefined) this.#close('passed')
    else if (state.isTerminal) this.#close('settled')
    else if (step.turnState === 'suspended') this.#close('suspended')
  }

  async tool<Value>(
    call: ToolCall,
    run: (key: string, signal: AbortSignal) => Promise<Value>,
  ): Promise<ToolOutcome<Value>> {
    this.#check()
    const callId = `${this.turnId}.tool${this.#nextTool}`
    const hash = contentHash([call.name, call.args])
    const before = this.#tools[this.#nextTool++]
    if (before !== undefined && before.hash !== hash) {
      throw replayMismatch(`the tool ${before.name}`, `the tool ${call.name}`)
    }
    if (before?.outcome !== undefined) return this.#finished(callId, before.outcome)
    if (before !== undefined && !before.idempotent) return this.#unknown(callId)
    if (before === undefined) {
      const denied = call.requiresApproval === true ? await this.#approval(call, callId, hash) : undefined
      if (denied !== undefined) return denied
      const { name, args, idempotent = false } = call
      const started = { turnId: this.turnId, callId, name, hash, idempotent, payload: { args } }
      await this.#append(() => [{ type: 'toolStarted', ...started }])
    }
    const outcome = await this.#runTool(`${this.#session}:${callId}`, run)
    await this.#finish(callId, outcome.outcome, outcome.outcome === 'ok' ? outcome.value : outcome.reason)
    return outcome
  }

  /** Ends the turn without the actor: what was shown so far stays, marked as truncated. */
  async cancel(): Promise<void> {
    this.#close('settled')
    const parts = this.#openStep.truncated()
    await this.#append(() => [
      ...parts.map(({ index, part }) => this.#partDraft(index, part, 'awaiting')),
      { type: 'turnSettled', turnId: this.turnId, turnState: 'awaiting', finalizedBy: 'cancelled' },
    ])
  }

  /** Ends the turn with an error part that says what the user may know. */
  async fail(text: string, code: string): Promise<void> {
    this.#close('settled')
    this.#openStep.retract()
    const part: Part = { text, metadata: { partType: 'error', code } }
    await this.#append(() => [
      this.#partDraft(0, part, 'error'),
      { type: 'turnStateChanged', turnId: this.turnId, step: this.#nextStep, turnState: 'error' },
      { type: 'turnSettled', turnId: this.turnId, turnState: 'error', finalizedBy: 'error' },
    ])
  }

  /** From here on the actor can change nothing any more. */
  close(): void {
    this.#closed = true
  }

  #close(end: NonNullable<TurnRun['end']>): void {
    this.#end = end
    this.#closed = true
  }

  #check(): void {
    this.signal.throwIfAborted()
    if (this.#closed) throw new BeachError('TURN_CLOSED', 'This actor has given up its turn; it can add nothing to it.')
  }

  #open(): OpenStep {
    const place = { session: this.#session, turnId: this.turnId, epoch: this.#epoch, step: this.#nextStep }
    return new OpenStep(this.#world.store, place)
  }

  async #appendStep(step: Step, authored: readonly Part[], settles: boolean): Promise<void> {
    const { turnId } = this
    const { router, runtime } = this.#world
    const place = { sessionId: this.#session, turnId, turnState: step.turnState }
    const options = { ...this.#world, clock: runtime.clock, logger: runtime.logger }
    let said: Part[] = []
    let refused: ReturnType<EventRouter['transitions']>['refused'] = []
    await this.#append((state) => {
      const routed = router.transitions(state, authored, turnId)
      refused = routed.refused
      said = [...routed.parts, ...collect({ ...place, parts: routed.parts }, this.#said, options)]
      return [...this.#stepDrafts(step, said, routed.drafts), ...(settles ? [this.#settledDraft(step.turnState)] : [])]
    })
    router.rejected(this.#session, turnId, refused)
    this.#said.push(...said)
    this.#nextStep++
    this.#openStep = this.#open()
  }

  #stepDrafts(step: Step, parts: readonly Part[], changes: readonly EventDraft[]): EventDraft[] {
    const { turnId } = this
    const { turnState, passTo, hash, answer } = step
    const partIds = parts.map((_, index) => partId(turnId, this.#nextStep, index))
    const payload = answer === undefined ? undefined : { payload: { answer } }
    return [
      { type: 'stepCommitted', turnId, step: this.#nextStep, hash, partIds, ...payload },
      ...changes,
      ...parts.map((part, index) => this.#partDraft(index, part, turnState)),
      ...requestDrafts(turnId, parts),
      { type: 'turnStateChanged', turnId, step: this.#nextStep, turnState, ...(passTo !== undefined && { passTo }) },
    ]
  }

  #settledDraft(turnState: string): EventDraft {
    return { type: 'turnSettled', turnId: this.turnId, turnState, finalizedBy: turnState }
  }

  #partDraft(index: number, part: Part, turnState: string): EventDraft {
    const id = partId(this.turnId, this.#nextStep, index)
    const { partType } = part.metadata
    return { type: 'partReceived', turnId: this.turnId, partId: id, partType, turnState, payload: { part } }
  }

  async #append(decide: (state: SessionState) => EventDraft[]): Promise<void> {
    const fenced = (state: SessionState) => {
      const { turn } = sliceState(turnSlice, state)
      if (turn?.turnId !== this.turnId) throw new BeachError('TURN_CLOSED', 'This turn has already settled.')
      if (turn.cancelled && !this.#closed) throw new BeachError('TURN_CLOSED', 'This turn is being cancelled.')
      return decide(state).map((draft) => ({ ...draft, epoch: this.#epoch }))
    }
    await this.#world.log.commit(this.#session, fenced, { epoch: this.#epoch })
  }

  /** The index entries come first: without its request an entry is harmless, while a request without one is not found. */
  async #bindApprovals(parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      const key = approvalKey(part)
      if (key === undefined) continue
      const owner = await this.#world.store.bind(key, this.#session)
      if (owner !== this.#session) throw new BeachError('INVALID_PART', 'This approval id is already in use.')
    }
  }

  /** Undefined when the call is granted. Without a decision the turn is suspended, and this run ends. */
  async #approval(call: ToolCall, callId: string, hash: string): Promise<ToolOutcome<never> | undefined> {
    // Derived from the call, so that a run that begins anew finds the decision again.
    const approvalId = callId.replace('turn_', 'approval_').replace('.tool', '_')
    const decided = this.decisions.get(approvalId)
    if (decided?.decision === 'granted') return undefined
    if (decided !== undefined) return { outcome: 'denied', reason: decided.reason ?? 'This was not approved.' }
    const place = { approvalId, callId, actor: this.#actor, turnId: this.turnId, session: this.#session }
    const part = approvalPart(call, place)
    await this.commit({ turnState: 'suspended', parts: [part], hash: approvalStep + hash })
    throw new Stop('suspended')
  }

  #finished<Value>(callId: string, outcome: 'ok' | 'failed' | 'unknown'): ToolOutcome<Value> {
    const value = this.#toolValues.get(callId)
    return outcome === 'ok' ? { outcome, value: value as Value } : { outcome, reason: String(value) }
  }

  async #runTool<Value>(
    key: string,
    run: (key: string, signal: AbortSignal) => Promise<Value>,
  ): Promise<Extract<ToolOutcome<Value>, { outcome: 'ok' | 'failed' }>> {
    try {
      return { outcome: 'ok', value: await run(key, this.signal) }
    } catch (error) {
      this.signal.throwIfAborted()
      this.#world.runtime.logger.log('warn', 'a tool failed', { session: this.#session, key, error })
      return { outcome: 'failed', reason: isBeachError(error) ? error.message : 'The tool failed.' }
    }
  }

  async #unknown<Value>(callId: string): Promise<ToolOutcome<Value>> {
    const reason = 'The process ended while this tool ran; whether it took effect is not known.'
    await this.#finish(callId, 'unknown', reason)
    return { outcome: 'unknown', reason }
  }

  async #finish(callId: string, outcome: 'ok' | 'failed' | 'unknown', value: unknown): Promise<void> {
    await this.#append(() => [{ type: 'toolFinished', turnId: this.turnId, callId, outcome, payload: { value } }])
  }
}

/** An actor that runs again did something else than what the log says it did. */
export function replayMismatch(logged: string, now: string): BeachError {
  return new BeachError(
    'REPLAY_MISMATCH',
    `The log says that this actor did ${logged} here, but it now does ${now}. An actor must do the same again when a turn resumes.`,
  )
}
