import { Role, TaskState, type Message as A2aMessage, type Part as A2aPart } from '@a2a-js/sdk'
import { turnStates, type Frame, type Part, type TurnStateRegistry } from '@cool-ai/beach-core'
import { peerOf } from '@cool-ai/beach-core/ports'
import { contentHash, defined } from '@cool-ai/beach-core/runtime'
import { approvalAskedBy, approvalOfSurface } from './approval-part.ts'
import { markOf, type A2aMark } from './a2a-mark.ts'
import { understood, type Understood } from './caller.ts'
import { contentOf } from './inbound-parts.ts'
import { plainParts } from './outbound-parts.ts'
import { sentPart } from './sent-part.ts'
import { keptIdOf, noSuchTask, taskIdOf, type TaskStart } from './task-id.ts'

type PartFrame = Extract<Frame, { kind: 'part' }>
type TurnFrame = Extract<Frame, { kind: 'turn' }>
type DecisionFrame = Extract<Frame, { kind: 'decision' }>

/** What a frame has changed of a task, for its followers. */
export type TaskChange =
  | { readonly kind: 'part'; readonly partId: string; readonly entry: ArtifactEntry }
  | { readonly kind: 'note'; readonly part: Part; readonly seq?: number }
  | { readonly kind: 'remark'; readonly message: A2aMessage }
  | { readonly kind: 'delta'; readonly delta: Extract<Frame, { kind: 'delta' }> }
  | { readonly kind: 'retract'; readonly partIds?: readonly string[] | undefined }
  | { readonly kind: 'status' }

/** What the agent's turn states mean. */
export type TurnStateLookup = Pick<TurnStateRegistry, 'get'>

/** A part of an answer, and its place in the log. */
export interface ArtifactEntry {
  readonly part: Part
  readonly turnId: string
  /** The actor that began the turn. */
  readonly actor?: string | undefined
  readonly seq?: number
}

/** Said on the way; it changes nothing of the answer. */
const onTheWay: ReadonlySet<string> = new Set(['ack', 'thinking', 'progress'])
/** What a task says with its status, not as a part of its answer. */
const withStatus: ReadonlySet<string> = new Set(['clarify', 'error', 'approval-request'])
const asking: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_INPUT_REQUIRED,
  TaskState.TASK_STATE_AUTH_REQUIRED,
])
const terminal: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
])

/** How an approval was closed. */
interface TaskDecision extends Pick<DecisionFrame, 'approvalId' | 'outcome' | 'by' | 'via'> {
  readonly at: string
}

const maxDecisions = 50

/**
 * A task, folded from the frames of its session, beginning with those of the message that began it. It belongs to the
 * turns that answer its messages; whatever else happens in the session is not its own.
 */
export class TaskProjection {
  readonly place: TaskStart
  readonly #states: TurnStateLookup
  readonly taskId: string
  /** The task's id in the log. */
  readonly keptId: string
  contextName: string | undefined
  understood: Understood = {}
  /** The media types that the caller takes, as it has said last. */
  outputModes: readonly string[] | undefined
  state: TaskState = TaskState.TASK_STATE_SUBMITTED
  at = 0
  /** The turn that works on it now, or has done so last. */
  turnId: string | undefined
  turnState: string | undefined
  actor: string | undefined
  /** The peer whose part came last, where the turn is with a peer. */
  peer: string | undefined
  isSettled = false
  /** The last event that was folded. */
  cursor: string | undefined
  readonly history: A2aMessage[] = []
  /** What the agent's messages in the history were made of. */
  readonly #questions = new Map<A2aMessage, readonly Part[]>()
  readonly artifacts = new Map<string, ArtifactEntry>()
  /** What the present turn has asked or complained about. */
  readonly asked: Part[] = []
  /** What was said of that while the turn went on: its parts are history, and no part of how it stands. */
  readonly remarks = new Set<string>()
  readonly turns = new Set<string>()
  readonly #messageIds = new Set<string>()
  readonly #decided = new Set<string>()
  /** How its approvals were decided, by which channel and when. */
  readonly decisions: TaskDecision[] = []
  /** True when the turn has a decision that it has not gone on with yet. */
  #isWoken = false

  constructor(place: TaskStart, states: TurnStateLookup = turnStates) {
    this.place = place
    this.#states = states
    this.taskId = taskIdOf(place)
    this.keptId = keptIdOf(place)
  }

  get contextId(): string {
    return this.contextName ?? this.place.key ?? this.place.session
  }

  get isTerminal(): boolean {
    return terminal.has(this.state)
  }

  get isCancelled(): boolean {
    return this.state === TaskState.TASK_STATE_CANCELED
  }

  /** True when it asks for something: input, or an authorisation. */
  get isAsking(): boolean {
    return asking.has(this.state)
  }

  /** True when it is over, or asks for something. */
  get rests(): boolean {
    return this.isTerminal || (this.isAsking && !this.#isWoken)
  }

  /** True when it waits for an authorisation from elsewhere, and goes on by itself once it has that. */
  get isHeld(): boolean {
    return this.state === TaskState.TASK_STATE_AUTH_REQUIRED && !this.isSettled
  }

  /** True when a further message has come for it, as only a caller can send that has seen it. */
  get wasGoneOnWith(): boolean {
    return this.#messageIds.size > 1
  }

  /** What a message of the agent was made of; undefined for a caller's own message. */
  questionIn(message: A2aMessage): readonly Part[] | undefined {
    return this.#questions.get(message)
  }

  hasMessageId(messageId: string): boolean {
    return this.#messages(messageId).length > 0
  }

  /** True when this message is one of the task's: its id, and all that is shown of it. An id alone may be used again. */
  hasMessage(messageId: string, parts: readonly Part[]): boolean {
    const known = this.#messages(messageId)
    if (known.length === 0) return false
    const given = new Set(parts.map((part) => identity(sentPart(part))))
    return known.some((message) => message.parts.every((part) => given.has(identity(part))))
  }

  #messages(messageId: string): A2aMessage[] {
    return this.history.filter((message) => message.role === Role.ROLE_USER && message.messageId === messageId)
  }

  hasDecision(approvalId: string): boolean {
    return this.#decided.has(approvalId)
  }

  /** True when this approval is one of the task's own: it waits for it, or has waited. */
  hasApproval(approvalId: string): boolean {
    const isAsked = this.asked.some(
      (part) => part.metadata.partType === 'approval-request' && approvalAskedBy(part) === approvalId,
    )
    return isAsked || this.hasDecision(approvalId)
  }

  apply(frame: Frame): TaskChange | undefined {
    if (frame.cursor !== undefined) this.cursor = frame.cursor
    // Where coordinates stand is no part of a task, and neither are the calls of tools.
    if (frame.kind === 'state' || frame.kind === 'call' || frame.kind === 'result') return undefined
    if (this.#messageIds.size === 0 && !(frame.kind === 'part' && frame.role === 'user')) throw noSuchTask()
    switch (frame.kind) {
      case 'part':
        return frame.role === 'user' ? this.#userPart(frame) : this.#said(frame)
      case 'delta':
        return this.#isCurrent(frame.turnId) ? { kind: 'delta', delta: frame } : undefined
      case 'retract': {
        if (!this.#isCurrent(frame.turnId)) return undefined
        return { kind: 'retract', partIds: frame.partIds }
      }
      case 'turn':
        return this.#turned(frame)
      case 'settled': {
        if (!this.#isCurrent(frame.turnId) && !this.#isWithdrawn(frame)) return undefined
        this.isSettled = true
        this.#isWoken = false
        this.turnState = frame.turnState
        this.at = frame.at
        this.state = this.#stateOfSettled(frame.turnState, frame.finalizedBy)
        return { kind: 'status' }
      }
      case 'decision':
        return this.#decidedOn(frame)
    }
  }

  /** A task goes on after a decision with the state of its turn. */
  #decidedOn({ turnId, approvalId, outcome, by, via, at }: DecisionFrame): undefined {
    if (!this.turns.has(turnId)) return
    this.#decided.add(approvalId)
    this.decisions.push(defined({ approvalId, outcome, by, via, at: new Date(at).toISOString() }))
    if (this.decisions.length > maxDecisions) this.decisions.shift()
    if (outcome !== 'void' && this.#isCurrent(turnId)) this.#isWoken = true
  }

  #isCurrent(turnId: string): boolean {
    return turnId === this.turnId && !this.isSettled
  }

  /** True when a caller takes back the question that the task waits with. */
  #isWithdrawn({ turnId, finalizedBy }: Extract<Frame, { kind: 'settled' }>): boolean {
    return turnId === this.turnId && this.isAsking && finalizedBy === 'cancelled'
  }

  #userPart(frame: PartFrame): TaskChange | undefined {
    const messageId = frame.partId.slice(0, frame.partId.lastIndexOf('.'))
    const mark = markOf(frame.part)
    const isFirst = this.#messageIds.size === 0
    if (isFirst && (mark === undefined || mark.taskId !== undefined)) throw noSuchTask()
    if (mark === undefined || (!isFirst && mark.taskId !== this.keptId && !this.#messageIds.has(messageId))) {
      return undefined
    }
    const isNew = !this.#messageIds.has(messageId)
    this.at = frame.at
    if (!isNew) {
      this.history.at(-1)?.parts.push(sentPart(frame.part))
      return undefined
    }
    this.#messageIds.add(messageId)
    this.outputModes = mark.outputModes ?? this.outputModes
    if (isFirst) {
      this.contextName = mark.contextId
      this.understood = understood(mark)
    } else {
      this.#continueCall()
    }
    this.history.push(this.#userMessage(mark, frame.part))
    return isFirst ? undefined : { kind: 'status' }
  }

  #userMessage(mark: A2aMark, part: Part): A2aMessage {
    return { ...this.#message(mark.messageId, Role.ROLE_USER), parts: [sentPart(part)] }
  }

  /** The task was asking, and has its answer: the question becomes history. */
  #continueCall(): void {
    if (this.asked.length > 0 && this.turnId !== undefined) {
      const parts = this.asked.flatMap((part) => plainParts(part))
      const question = { ...this.#message(this.turnId, Role.ROLE_AGENT), parts }
      this.history.push(question)
      this.#questions.set(question, [...this.asked])
    }
    this.asked.length = 0
    this.state = TaskState.TASK_STATE_WORKING
  }

  #message(messageId: string, role: Role): A2aMessage {
    const { contextId, taskId } = this
    return { messageId, contextId, taskId, role, parts: [], metadata: undefined, extensions: [], referenceTaskIds: [] }
  }

  #turned(frame: TurnFrame): TaskChange | undefined {
    if (frame.messageIds?.some((id) => this.#messageIds.has(id)) === true) {
      this.turnId = frame.turnId
      this.actor = frame.actor
      this.#isWoken = false
      this.turns.add(frame.turnId)
      this.isSettled = false
      this.turnState = frame.turnState
      this.asked.length = 0
      this.state = TaskState.TASK_STATE_WORKING
      return { kind: 'status' }
    }
    if (!this.#isCurrent(frame.turnId)) return undefined
    const before = this.turnState
    this.turnState = frame.turnState
    this.#isWoken = false
    this.state = this.#stateOfOpen(frame.turnState)
    return before === frame.turnState || this.#isEnding(frame.turnState) ? undefined : { kind: 'status' }
  }

  /** True for a turn state that the settlement follows, which says how the turn has ended. */
  #isEnding(turnState: string): boolean {
    return turnState !== 'passed' && this.#states.get(turnState)?.isTerminal === true
  }

  #stateOfOpen(turnState: string): TaskState {
    if (turnState === 'suspended') return TaskState.TASK_STATE_INPUT_REQUIRED
    const { outcome, isTerminal } = this.#states.get(turnState) ?? {}
    // What ends the turn counts once it has settled.
    if (outcome === 'auth-required' && isTerminal === false) return TaskState.TASK_STATE_AUTH_REQUIRED
    return TaskState.TASK_STATE_WORKING
  }

  #stateOfSettled(turnState: string, finalizedBy: string): TaskState {
    if (finalizedBy === 'cancelled') return TaskState.TASK_STATE_CANCELED
    if (turnState === 'clarifying') return TaskState.TASK_STATE_INPUT_REQUIRED
    if (turnState === 'error') return TaskState.TASK_STATE_FAILED
    switch (this.#states.get(turnState)?.outcome) {
      case 'rejected':
        return TaskState.TASK_STATE_REJECTED
      case 'auth-required':
        return TaskState.TASK_STATE_AUTH_REQUIRED
      case undefined:
        return TaskState.TASK_STATE_COMPLETED
    }
  }

  #said(frame: PartFrame): TaskChange | undefined {
    const { part, partId, turnId, cursor } = frame
    if (turnId === undefined || !this.#isCurrent(turnId)) return undefined
    const { partType } = part.metadata
    this.at = frame.at
    const peer = peerOf(part)
    this.peer = peer ?? this.peer
    const seq = cursor === undefined ? undefined : { seq: Number(cursor) }
    // A peer's question or failure is none of the task's own: the actor says what comes of it.
    const isStatus = withStatus.has(partType) || approvalOfSurface(part) !== undefined
    if (onTheWay.has(partType) || (isStatus && peer !== undefined)) return { kind: 'note', part, ...seq }
    if (isStatus) return this.#complained(frame)
    const entry = { part, turnId, actor: this.actor, ...seq }
    this.artifacts.set(partId, entry)
    return { kind: 'part', partId, entry }
  }

  /** What a turn says as it ends, or waits, comes with its status. What it says while it goes on is said at once. */
  #complained({ part, partId, turnState = 'awaiting' }: PartFrame): TaskChange | undefined {
    const isWaiting = this.#stateOfOpen(turnState) !== TaskState.TASK_STATE_WORKING
    if (isWaiting || this.#isEnding(turnState)) {
      this.asked.push(part)
      return undefined
    }
    this.remarks.add(partId)
    const message = { ...this.#message(partId, Role.ROLE_AGENT), parts: plainParts(part) }
    this.history.push(message)
    this.#questions.set(message, [part])
    return { kind: 'remark', message }
  }
}

/** What makes a part of a message the same; how it was written does not count. */
function identity(part: A2aPart): string {
  return contentHash([contentOf(part), part.metadata])
}
