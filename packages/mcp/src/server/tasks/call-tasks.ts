import { BeachError, isBeachError, type Part } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import {
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequests,
} from '@modelcontextprotocol/server'
import { decisionPart } from '../ask-input.ts'
import { answerIn, canAsk, decisionFromForm } from '../ask-person.ts'
import { formsFor, resultFor, type AskCall, type AskContext, type Asking } from '../ask-tool.ts'
import { decideOnce } from '../decide-once.ts'
import { conversationKey } from '../request-meta.ts'
import { openApproval, openEnvelope, type TurnOutcome } from '../turn-outcome.ts'
import { answerMark, TaskFold } from './task-fold.ts'
import { noSuchTask, placeOf, taskIdOf } from './task-id.ts'
import type { DetailedTask, TaskBase, TaskStatus } from './task-shape.ts'

/** How calls become tasks; what is left out has a default. */
export interface TaskOptions {
  /** How long a call waits for its answer before it becomes a task; 5 seconds when left out. */
  readonly afterMs?: number | undefined
  /** How long the result of a task can be had after it is over; a day when left out. */
  readonly ttlMs?: number | undefined
}

const pollIntervalMs = { working: 1_000, input_required: 2_000 }
const maxStatusLength = 500

interface ReadTask {
  readonly taskId: string
  readonly fold: TaskFold
  readonly asking: Asking
}

/**
 * Calls that go on after their requests were answered. A task is a projection of its session's log: it is kept nowhere,
 * outlives its process, and is the same in every one.
 */
export class CallTasks {
  readonly afterMs: number
  readonly #ttlMs: number
  readonly #askContext: () => AskContext

  constructor({ afterMs = 5_000, ttlMs = 24 * 60 * 60_000 }: TaskOptions, askContext: () => AskContext) {
    this.afterMs = afterMs
    this.#ttlMs = ttlMs
    this.#askContext = askContext
  }

  /** The task of a call that goes on; it begins at this seq of the log. */
  async create(seq: number, { conversation, call }: Omit<Asking, 'askContext'>): Promise<CallToolResult> {
    const { conversationId } = conversation
    const task = await this.#read(taskIdOf({ conversationId, seq }), call)
    const { status, statusMessage } = await this.#status(task)
    const current = defined({ ...this.#base(task, status), status, statusMessage })
    // The SDK wants the content of a result of a tool; a task has none yet.
    return { resultType: 'task', ...current, content: [], _meta: { [conversationKey]: conversationId } }
  }

  async get(taskId: string, call: AskCall): Promise<DetailedTask> {
    const task = await this.#read(taskId, call)
    const current = await this.#status(task)
    return { ...this.#base(task, current.status), ...current }
  }

  /** How a task stands now, and then whenever that has changed, until it is over; a task that is not there throws first. */
  async follow(
    taskId: string,
    call: AskCall,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<DetailedTask, void, undefined>> {
    return this.#changes(await this.#read(taskId, call), signal)
  }

  async *#changes(task: ReadTask, signal: AbortSignal): AsyncGenerator<DetailedTask, void, undefined> {
    const { session, to } = task.asking.conversation
    const reader = { ...to, deliveryClass: 'streaming' as const }
    let last: string | undefined
    const changed = async () => {
      const current = await this.#status(task)
      const now: DetailedTask = { ...this.#base(task, current.status), ...current }
      const before = last
      last = JSON.stringify({ ...now, lastUpdatedAt: undefined })
      return last === before ? undefined : now
    }
    const first = await changed()
    if (first !== undefined) yield first
    if (task.fold.isOver) return
    for await (const frame of this.#askContext().sessions().follow(session, reader, String(task.fold.cursor), signal)) {
      task.fold.apply(frame)
      if (frame.cursor === undefined) continue
      const now = await changed()
      if (now !== undefined) yield now
      if (task.fold.isOver) return
    }
  }

  /** Takes answers to what the task asks; what it does not ask any more is left aside, as the extension has it. */
  async update(taskId: string, call: AskCall): Promise<void> {
    const task = await this.#read(taskId, call)
    const current = await this.#status(task)
    if (current.status !== 'input_required') return
    for (const key of Object.keys(current.inputRequests)) await this.#answer(key, task)
  }

  /** Ends the work on a task; for one that is over there is nothing to do. */
  async cancel(taskId: string, call: AskCall): Promise<void> {
    const { fold, asking } = await this.#read(taskId, call)
    const { session, principal, to } = asking.conversation
    const sessions = this.#askContext().sessions()
    if (fold.isAsking && fold.turnId !== undefined) await sessions.withdraw(session, fold.turnId, principal)
    if (fold.isSettled) return
    // A message that waits has no turn to cancel yet.
    if (fold.turnId === undefined) {
      const signal = AbortSignal.any([call.context.mcpReq.signal, this.#askContext().ending()])
      for await (const frame of sessions.follow(session, to, String(fold.cursor), signal)) {
        fold.apply(frame)
        if (fold.turnId !== undefined) break
      }
    }
    if (fold.turnId === undefined)
      throw new BeachError('CANCELLED', 'The agent is stopping. Cancel the task once more.')
    if (!fold.isSettled) await sessions.cancel(session, fold.turnId, principal)
  }

  async #answer(key: string, { fold, asking }: ReadTask): Promise<void> {
    const { conversation, call, askContext } = asking
    const { inputResponses, droppedInputResponseKeys = [] } = call.context.mcpReq
    const response = inputResponse(inputResponses, key)
    if (response.kind !== 'elicit') {
      const isGiven = Object.hasOwn(inputResponses ?? {}, key) || droppedInputResponseKeys.includes(key)
      if (isGiven) throw noAnswer(key, 'it needs `action`: "accept", "decline" or "cancel".')
      return
    }
    if (key !== questionKey(fold)) {
      const decision = decisionFromForm(inputResponses, key)
      if (decision !== undefined) {
        await decideOnce(decisionPart({ approvalId: key, ...decision }), conversation, askContext.sessions())
      } else if (response.action === 'accept') {
        throw noAnswer(key, '`content.decision` must be "granted" or "denied".')
      }
      return
    }
    const { session, principal, to: from } = conversation
    const { turnId = '' } = fold
    const text = answerIn(inputResponses, key)
    if (text !== undefined) {
      const part: Part = { text, metadata: { partType: 'message', ...answerMark(turnId) } }
      const message = { parts: [part], from, dedupeKey: `mcp:answer:${turnId}`, answers: turnId }
      await askContext.sessions().post(session, message, principal)
    } else if (response.action === 'accept') {
      throw noAnswer(key, '`content.answer` must be a text.')
    } else {
      await askContext.sessions().withdraw(session, turnId, principal)
    }
  }

  async #read(taskId: string, call: AskCall): Promise<ReadTask> {
    const askContext = this.#askContext()
    const { conversationId, seq } = placeOf(taskId)
    const found = await askContext.conversations.find(call.caller, conversationId).catch(asNoSuchTask)
    const { session, principal } = found
    const fold = new TaskFold(askContext.partTypes)
    // What the caller consumes was said with the message, and need not be said again.
    const known = (await askContext.sessions().originators(session, principal)).find(({ id }) => id === found.to.id)
    const to = defined({ ...found.to, consumes: call.caller.consumes ?? known?.consumes ?? found.to.consumes })
    try {
      const reader = { ...to, deliveryClass: 'streaming' as const }
      for await (const frame of askContext.sessions().history(session, reader, { from: seq })) {
        fold.apply(frame)
        if (fold.isOver) break
      }
    } catch (error) {
      asNoSuchTask(error)
    }
    if (!fold.hasBegun) throw noSuchTask()
    if (fold.isOver && askContext.runtime.clock.now() > fold.updatedAt + this.#ttlMs) throw expired(conversationId)
    return { taskId, fold, asking: { conversation: { ...found, to }, call, askContext } }
  }

  async #status(task: ReadTask): Promise<TaskStatus> {
    const { fold, asking } = task
    const { conversation, call, askContext } = asking
    if (fold.isCancelled) return { status: 'cancelled', statusMessage: 'This was cancelled before it was finished.' }
    const outcome = await this.#outcome(task)
    if (outcome === undefined) return { status: 'working', ...(fold.note !== undefined && said(fold.note)) }
    const isAsked = fold.isAsking || outcome.pending.length > 0
    if (isAsked && canAsk(call.capabilities)) {
      const inputRequests = formsFor(outcome, conversation.principal, questionKey(fold))
      if (inputRequests !== undefined)
        return { status: 'input_required', inputRequests, ...said(questionOf(inputRequests)) }
      // Another person decides: there is nothing that this caller could do.
      if (!fold.isAsking)
        return { status: 'working', statusMessage: 'This waits for an approval that another person has to give.' }
    }
    const waiting = outcome.isOther === true ? { messageId: fold.messageId ?? '', seq: fold.cursor } : undefined
    const result = await resultFor(outcome, { conversation, call, askContext }, waiting)
    return { status: 'completed', result: { resultType: 'complete', ...result } }
  }

  /** What the task has come to: an answer, a question, or a wait for a decision; undefined while it is under way. */
  async #outcome({ fold, asking }: ReadTask): Promise<TurnOutcome | undefined> {
    const { conversation, askContext } = asking
    const { session, principal, to } = conversation
    const { turnId, cursor: seen } = fold
    if (turnId === undefined) return openApproval(conversation, askContext, fold.messageId)
    if (fold.isSettled) {
      const envelope = await askContext.sessions().envelope(session, turnId, to, seen)
      if (envelope === undefined) throw noSuchTask()
      return { envelope, pending: [], seen }
    }
    if (fold.turnState !== 'suspended') return undefined
    const { turn } = await askContext.sessions().view(session, principal)
    const pending = turn?.turnId === turnId ? turn.pendingApprovals : []
    if (pending.length === 0) return undefined
    const envelope = openEnvelope([...fold.parts.values()], { session, turnId, at: askContext.runtime.clock.now() })
    return { envelope, pending, seen }
  }

  #base({ taskId, fold }: ReadTask, status: DetailedTask['status']): TaskBase {
    const { createdAt, updatedAt } = fold
    return {
      taskId,
      createdAt: new Date(createdAt).toISOString(),
      lastUpdatedAt: new Date(updatedAt).toISOString(),
      // As long as it is not over it can be had; its session's retention aside.
      ttlMs: fold.isOver ? updatedAt - createdAt + this.#ttlMs : null,
      pollIntervalMs: status === 'input_required' ? pollIntervalMs.input_required : pollIntervalMs.working,
    }
  }
}

/** The key of the question: of a task no two requests have the same one. */
function questionKey({ turnId = '' }: TaskFold): string {
  return `answer.${turnId}`
}

function questionOf(requests: InputRequests): string {
  return Object.values(requests)
    .flatMap(({ params }) => (params !== undefined && 'message' in params ? [params.message] : []))
    .join('\n')
}

function said(text: string): { readonly statusMessage: string } {
  return { statusMessage: text.length > maxStatusLength ? `${text.slice(0, maxStatusLength - 1)}…` : text }
}

function asNoSuchTask(error: unknown): never {
  throw isBeachError(error, 'NOT_FOUND') ? noSuchTask() : error
}

function expired(conversationId: string): BeachError {
  const message = `This task has expired. What was said is in the conversation "${conversationId}".`
  return new BeachError('EXPIRED', message)
}

function noAnswer(key: string, problem: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `inputResponses.${key}: ${problem}`)
}
