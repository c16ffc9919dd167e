import {
  BeachError,
  contentHash,
  isBeachError,
  partId,
  sliceState,
  type CommittedStep,
  type EventDraft,
  type LiveText,
  type Message,
  type Part,
  type PartTypeRegistry,
  type Runtime,
  type SessionLog,
  type SessionView,
  type Step,
  type Store,
  type ToolCall,
  type ToolOutcome,
  type TurnContext,
  type TurnStateRegistry,
} from '@cool-ai/beach-core'
import { parsePart } from '@cool-ai/beach-protocol'
import { OpenStep } from './open-step.ts'
import type { TurnMaterial } from './turn-material.ts'
import { turnSlice, type OpenTurn, type ToolEntry } from './turn-slice.ts'

/** What a turn runs on. */
export interface TurnWorld {
  readonly store: Store
  readonly log: SessionLog
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
}

/** One run of a turn by one host: what the actor is given, and the commits that make its steps durable. */
export class TurnRun implements TurnContext {
  readonly view: SessionView
  readonly turnId: string
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
  readonly committed: readonly CommittedStep[]
  readonly #world: TurnWorld
  readonly #session: string
  readonly #epoch: number
  readonly #tools: readonly ToolEntry[]
  readonly #toolValues: ReadonlyMap<string, unknown>
  #nextTool = 0
  #nextStep: number
  #openStep: OpenStep
  #settled = false
  #closed = false

  constructor(world: TurnWorld, view: SessionView, turn: OpenTurn, material: TurnMaterial, signal: AbortSignal) {
    this.#world = world
    this.#session = view.sessionId
    this.#epoch = view.epoch
    this.view = view
    this.turnId = turn.turnId
    this.messages = material.messages
    this.signal = signal
    this.#tools = turn.tools
    this.#toolValues = material.toolValues
    this.committed = turn.steps.map(({ step, hash, turnState }) => ({
      step,
      hash,
      turnState,
      answer: material.answers.get(step),
    }))
    this.#nextStep = turn.steps.length
    this.#openStep = this.#open()
  }

  /** True once the turn has reached a terminal state. */
  get settled(): boolean {
    return this.#settled
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
    const state = this.#world.turnStates.get(step.turnState)
    if (state === undefined) {
      const known = [...this.#world.turnStates.ids()].join(', ')
      throw new BeachError(
        'INVALID_STATE',
        `The turn state '${step.turnState}' is not registered. Use one of: ${known}.`,
      )
    }
    const parts = step.parts.map((part) => this.#checkedPart(part))
    await this.#append(this.#stepDrafts(step, parts, state.isTerminal))
    if (state.isTerminal) this.#settle()
    this.#nextStep++
    this.#openStep = this.#open()
  }

  async tool<Value>(
    call: ToolCall,
    run: (key: string, signal: AbortSignal) => Promise<Value>,
  ): Promise<ToolOutcome<Value>> {
    this.#check()
    const callId = `${this.turnId}.tool${this.#nextTool}`
    const hash = contentHash([call.name, call.args])
    const before = this.#tools[this.#nextTool++]
    if (before !== undefined) {
      if (before.hash !== hash) throw replayMismatch(`the tool ${before.name}`, `the tool ${call.name}`)
      const value = this.#toolValues.get(callId)
      if (before.outcome === 'ok') return { outcome: 'ok', value: value as Value }
      if (before.outcome !== undefined) return { outcome: before.outcome, reason: String(value) }
      if (!before.idempotent) return this.#unknownOutcome(callId)
    } else {
      const { name, args, idempotent = false } = call
      await this.#append([
        { type: 'toolStarted', turnId: this.turnId, callId, name, hash, idempotent, payload: { args } },
      ])
    }
    const outcome = await this.#runTool(`${this.#session}:${callId}`, run)
    await this.#append([
      {
        type: 'toolFinished',
        turnId: this.turnId,
        callId,
        outcome: outcome.outcome,
        payload: { value: outcome.outcome === 'ok' ? outcome.value : outcome.reason },
      },
    ])
    return outcome
  }

  /** Ends the turn without the actor: what was shown so far stays, marked as truncated. */
  async cancel(): Promise<void> {
    this.#settle()
    const parts = this.#openStep.truncated()
    await this.#append([
      ...parts.map(({ index, part }) => this.#partDraft(index, part, 'awaiting')),
      { type: 'turnSettled', turnId: this.turnId, turnState: 'awaiting', finalizedBy: 'cancelled' },
    ])
  }

  /** Ends the turn with an error part that says what the user may know. */
  async fail(text: string, finalizedBy: string, details: Readonly<Record<string, unknown>> = {}): Promise<void> {
    this.#settle()
    this.#openStep.retract()
    const part: Part = { text, metadata: { partType: 'error', ...details } }
    await this.#append([
      this.#partDraft(0, part, 'error'),
      { type: 'turnStateChanged', turnId: this.turnId, step: this.#nextStep, turnState: 'error' },
      { type: 'turnSettled', turnId: this.turnId, turnState: 'error', finalizedBy },
    ])
  }

  /** From here on the actor can change nothing any more. */
  close(): void {
    this.#closed = true
  }

  #settle(): void {
    this.#settled = true
    this.#closed = true
  }

  #check(): void {
    this.signal.throwIfAborted()
    if (this.#closed) {
      throw new BeachError('TURN_CLOSED', 'This turn has settled; nothing can be added to it.')
    }
  }

  #open(): OpenStep {
    const place = { session: this.#session, turnId: this.turnId, epoch: this.#epoch, step: this.#nextStep }
    return new OpenStep(this.#world.store, place)
  }

  #checkedPart(authored: unknown): Part {
    const part = parsePart(authored, this.#world.partTypes)
    if (part.metadata.partType === 'approval-response') {
      throw new BeachError('INVALID_PART', 'An approval-response only comes from outside: no actor approves itself.')
    }
    return part
  }

  #stepDrafts(step: Step, parts: readonly Part[], isTerminal: boolean): EventDraft[] {
    const { turnId } = this
    const partIds = parts.map((_, index) => partId(turnId, this.#nextStep, index))
    const { turnState, passTo, hash, answer } = step
    return [
      {
        type: 'stepCommitted',
        turnId,
        step: this.#nextStep,
        hash,
        partIds,
        ...(answer !== undefined && { payload: { answer } }),
      },
      ...parts.map((part, index) => this.#partDraft(index, part, turnState)),
      { type: 'turnStateChanged', turnId, step: this.#nextStep, turnState, ...(passTo !== undefined && { passTo }) },
      ...(isTerminal ? [{ type: 'turnSettled' as const, turnId, turnState, finalizedBy: turnState }] : []),
    ]
  }

  #partDraft(index: number, part: Part, turnState: string): EventDraft {
    const id = partId(this.turnId, this.#nextStep, index)
    const { partType } = part.metadata
    return { type: 'partReceived', turnId: this.turnId, partId: id, partType, turnState, payload: { part } }
  }

  async #append(drafts: EventDraft[]): Promise<void> {
    const decide = (state: Readonly<Record<string, unknown>>) => {
      const { turn } = sliceState(turnSlice, state)
      if (turn?.turnId !== this.turnId) throw new BeachError('TURN_CLOSED', 'This turn has already settled.')
      if (turn.cancelled && !this.#closed) throw new BeachError('TURN_CLOSED', 'This turn is being cancelled.')
      return drafts.map((draft) => ({ ...draft, epoch: this.#epoch }))
    }
    await this.#world.log.commit(this.#session, decide, { epoch: this.#epoch })
  }

  async #runTool<Value>(
    key: string,
    run: (key: string, signal: AbortSignal) => Promise<Value>,
  ): Promise<ToolOutcome<Value>> {
    try {
      return { outcome: 'ok', value: await run(key, this.signal) }
    } catch (error) {
      this.signal.throwIfAborted()
      this.#world.runtime.logger.log('warn', 'a tool failed', { session: this.#session, key, error })
      return { outcome: 'failed', reason: isBeachError(error) ? error.message : 'The tool failed.' }
    }
  }

  async #unknownOutcome<Value>(callId: string): Promise<ToolOutcome<Value>> {
    const reason = 'The process ended while this tool ran; whether it took effect is not known.'
    await this.#append([
      { type: 'toolFinished', turnId: this.turnId, callId, outcome: 'unknown', payload: { value: reason } },
    ])
    return { outcome: 'unknown', reason }
  }
}

/** An actor that runs again did something else than what the log says it did. */
export function replayMismatch(logged: string, now: string): BeachError {
  return new BeachError(
    'REPLAY_MISMATCH',
    `The log says that this actor did ${logged} here, but it now does ${now}. An actor must do the same again when a turn resumes.`,
  )
}
