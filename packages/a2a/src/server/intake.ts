import { Role, TaskState, type AgentCard, type SendMessageRequest, type Task } from '@a2a-js/sdk'
import { UnsupportedOperationError } from '@a2a-js/sdk/errors'
import type { CardReader } from '@cool-ai/beach-channel/cards'
import { decisionFromWords } from '@cool-ai/beach-channel/people'
import { catalogsIn, checkHops, fromMessageMetadata } from '@cool-ai/beach-channel/peers'
import {
  BeachError,
  isBeachError,
  type Originator,
  type Part,
  type PartTypeRegistry,
  type Principal,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import type { ApprovalAnswer, FramePosition } from '@cool-ai/beach-core/ports'
import { contentHash, defined } from '@cool-ai/beach-core/runtime'
import { isApprovalAction } from '@cool-ai/beach-protocol'
import { withOutputModes, type A2aMark } from './a2a-mark.ts'
import { asGuest, byItsCard, originatorOf, understood, type Caller, type CallerDeclaration } from './caller.ts'
import { contextNameOf, contextOf, isMinted, requireOwn } from './contexts.ts'
import type { Guests } from './guests.ts'
import { decisionByShape, inboundParts, messageOf, type InboundMessage } from './inbound-parts.ts'
import { checkMediaTypes, checkOutputModes } from './media-types.ts'
import type { PushConfigs } from './push-configs.ts'
import { sentPart } from './sent-part.ts'
import { taskIdOf } from './task-id.ts'
import type { TaskProjection } from './task-projection.ts'
import { placeAfter, type TaskReading } from './task-reading.ts'
import { toTask, type TaskReader } from './to-task.ts'

type CheckedRequest = SendMessageRequest & { readonly message: ReturnType<typeof messageOf> }

/** What a message may ask for is for the agent to decide: throws when this principal, undefined for a guest, may not. */
export type Authorise = (principal: Principal | undefined, message: SendMessageRequest['message'] & object) => void

export interface IntakeOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly agentId: string
  readonly authorise?: Authorise | undefined
  readonly inputModes: readonly string[]
  /** The agent's cards, whose output modes one of the caller's must be among. */
  readonly cards: () => readonly AgentCard[]
  readonly pushConfigs: PushConfigs
  /** Whose the contexts of callers without a credential are; absent where a credential is required. */
  readonly guests?: Guests | undefined
  /** Reads the cards that callers name. */
  readonly callerCards: CardReader | undefined
}

/** A task that a message has begun or gone on with, and where to follow it from. */
export interface Sent {
  readonly projection: TaskProjection
  readonly reader: TaskReader
  readonly from: FramePosition
  readonly isRepeat: boolean
  /** What the caller is told at once. */
  readonly now: () => Promise<Task>
}

interface AcceptOptions {
  readonly deliveryClass: Originator['deliveryClass']
  /** The media types that the caller takes; all when there are none. */
  readonly outputModes: readonly string[]
  readonly said: CallerDeclaration
}

/** A message that begins a task, its parts, and a hash of what its caller has sent. */
interface BegunBy {
  readonly request: CheckedRequest
  readonly parts: InboundMessage['parts']
  readonly hash: string
}

/** How often the same message may begin something anew, each time after the task before was gone on with. */
const maxRounds = 100

/** Takes messages in: they begin a task, answer what one asks, or decide what one waits for. */
export class Intake {
  readonly #options: IntakeOptions
  readonly #sessions: Sessions
  readonly #reading: TaskReading

  constructor(sessions: Sessions, reading: TaskReading, options: IntakeOptions) {
    this.#sessions = sessions
    this.#reading = reading
    this.#options = options
  }

  take(given: SendMessageRequest, caller: Caller, deliveryClass: Originator['deliveryClass']): Promise<Sent> {
    const message = messageOf(given)
    const request = { ...given, message }
    const { consumes, card } = fromMessageMetadata(message.metadata)
    const catalogs = catalogsIn(message.metadata)
    const via = checkHops(message.metadata, this.#options.agentId)
    const said: CallerDeclaration = { via, consumes, catalogs, card }
    this.#options.authorise?.(caller.isGuest === true ? undefined : caller.principal, message)
    checkMediaTypes(message, this.#options.inputModes)
    const outputModes = given.configuration?.acceptedOutputModes ?? []
    checkOutputModes(outputModes, message, this.#options.cards())
    const taking = { deliveryClass, outputModes, said }
    return message.taskId === '' ? this.#begin(request, caller, taking) : this.#continueCall(request, caller, taking)
  }

  /**
   * Begins a task, or finds the one that the same message has begun. A caller that continued that one has seen it, and
   * does not send its message again because the answer was lost: then it begins another.
   */
  async #begin(request: CheckedRequest, caller: Caller, taking: AcceptOptions): Promise<Sent> {
    const { message } = request
    const inbound = this.#marked(message, taking.said)
    if (holdsDecision(inbound)) {
      throw new BeachError('BAD_REQUEST', 'An approval response needs the taskId of its task.')
    }
    // By what the caller has sent: what its card says may be another thing when it sends it again.
    const hash = contentHash(inbound.parts.map(withoutForm))
    const key = `${message.messageId}:${hash}`
    const said = await byItsCard(taking.said, caller, this.#options.callerCards)
    const parts = withOutputModes(this.#marked(message, said).parts, taking.outputModes)
    const begun = { request, parts, hash }
    for (let round = 0; ; round++) {
      const sent = await this.#beginAt(round === 0 ? key : `${key}:${round}`, begun, caller, { ...taking, said })
      if (!sent.isRepeat || !sent.projection.wasGoneOnWith || round >= maxRounds) return sent
    }
  }

  /** The parts of a message that begins a task, with what is remembered of its caller. */
  #marked(message: CheckedRequest['message'], said: CallerDeclaration): InboundMessage {
    const { messageId } = message
    const mark: A2aMark = defined({ messageId, contextId: contextNameOf(message), ...understood(said) })
    return inboundParts(message, mark, this.#options.partTypes)
  }

  async #beginAt(
    key: string,
    { request, parts, hash }: BegunBy,
    from: Caller,
    { deliveryClass, outputModes, said }: AcceptOptions,
  ): Promise<Sent> {
    const { message } = request
    const caller = await this.#within(from, message, key)
    const { principal } = caller
    const { session, contextId, isNew = false } = contextOf(message, key, caller)
    if (isMinted(message.contextId)) await requireOwn(this.#sessions, session, principal)
    const to = originatorOf(session, caller, deliveryClass, said)
    const inbound = { parts, from: to, dedupeKey: `a2a:${key}`, contentHash: hash }
    const post = () => this.#sessions.post(session, inbound, principal, { isNew })
    const placed = (seq: number) => ({ session, seq, key: caller.guest?.key })
    const postWithId = async () => {
      const taken = await post()
      return { ...taken, taskId: taskIdOf(placed(taken.seq)) }
    }
    const posted = await (bringsPush(request) ? this.#withPush({ session, to }, request, caller, postWithId) : post())
    const place = placed(posted.seq)
    const reader = this.#reading.reader(session, to, { ...caller, outputModes })
    if (posted.duplicate) return this.#repeated(await this.#reading.project(place, to), reader, request)
    const projection = this.#reading.begin(place)
    projection.contextName = contextId
    const now = async () => submitted(projection, message, parts, this.#options.runtime.clock.now())
    return { projection, reader, from: { from: posted.seq }, isRepeat: false, now }
  }

  /** The caller in the context that its message begins, unless it is in one already. */
  async #within(caller: Caller, { messageId }: { readonly messageId: string }, key: string): Promise<Caller> {
    const { guests } = this.#options
    if (caller.isGuest !== true || caller.guest !== undefined || guests === undefined) return caller
    return asGuest(caller, await guests.begunBy(messageId, key))
  }

  /** The same message again: the answer to it is on its way, or there. */
  #repeated(projection: TaskProjection, reader: TaskReader, { configuration }: SendMessageRequest): Sent {
    const now = () => toTask(projection, reader, { historyLength: configuration?.historyLength })
    return { projection, reader, from: placeAfter(projection), isRepeat: true, now }
  }

  async #continueCall(request: CheckedRequest, caller: Caller, taking: AcceptOptions): Promise<Sent> {
    const { message } = request
    const { deliveryClass, outputModes } = taking
    const { projection, reader: found } = await this.#reading.find(message.taskId, caller, deliveryClass)
    const { session } = projection.place
    if (message.contextId !== '' && message.contextId !== projection.contextId) {
      throw new BeachError('BAD_REQUEST', 'The contextId is not the one of the task. Leave it out.')
    }
    const said = await byItsCard(taking.said, caller, this.#options.callerCards)
    const to = { ...originatorOf(session, caller, deliveryClass, said), ...understood(found.to), ...understood(said) }
    const modes = outputModes.length === 0 ? projection.outputModes : outputModes
    const reader = this.#reading.reader(session, to, { ...caller, outputModes: modes })
    const { keptId: taskId, contextName: contextId } = projection
    const mark: A2aMark = defined({ messageId: message.messageId, taskId, contextId })
    const given = inboundParts(message, mark, this.#options.partTypes)
    const inbound = await this.#decided(given, projection, to)
    if (holdsDecision(inbound) && projection.hasMessageId(message.messageId)) throw usedBefore()
    if (projection.hasMessage(message.messageId, inbound.parts)) return this.#repeated(projection, reader, request)
    const isDecision = holdsDecision(inbound)
    if (!isDecision) requireAsking(projection)
    let isRepeat = false
    await this.#withPush({ session, to }, request, caller, async () => {
      if (isDecision) isRepeat = await this.#decide(projection, inbound, message.messageId, to)
      else await this.#answer(projection, withOutputModes(inbound.parts, outputModes), to)
      return projection
    })
    return { ...this.#repeated(projection, reader, request), isRepeat }
  }

  /** With the decision that the message is, where it does not say so by its type. */
  async #decided(inbound: InboundMessage, projection: TaskProjection, to: Originator): Promise<InboundMessage> {
    const answer = decisionByShape(inbound, (approvalId) => projection.hasApproval(approvalId))
    if (answer !== undefined) return { ...inbound, answer }
    return isAskedToApprove(projection) ? this.#worded(inbound, projection, to) : inbound
  }

  /** With the decision, where the message is a plain yes or no and the task waits for one approval. */
  async #worded(
    inbound: InboundMessage,
    { place }: TaskProjection,
    { principal }: Originator,
  ): Promise<InboundMessage> {
    const [part, ...more] = inbound.parts
    if (holdsDecision(inbound) || part?.text === undefined || more.length > 0) return inbound
    const worded = decisionFromWords(part.text)
    const { turn } = await this.#sessions.view(place.session, principal)
    const [approvalId, another] = turn?.pendingApprovals ?? []
    if (worded === 'unclear' || approvalId === undefined || another !== undefined) return inbound
    return { ...inbound, answer: { approvalId, ...worded } }
  }

  /** Takes a message, with the push notification config that came with it in place before. */
  async #withPush<Taken extends { readonly taskId: string }>(
    { session, to }: { readonly session: string; readonly to: Originator },
    request: SendMessageRequest,
    caller: Caller,
    take: () => Promise<Taken>,
  ): Promise<Taken> {
    const push = await this.#options.pushConfigs.before(session, request, caller, to)
    try {
      const taken = await take()
      await push?.became(taken.taskId)
      return taken
    } catch (error) {
      await push?.drop()
      throw error
    }
  }

  /** Answers a question. It can be answered once: whatever comes with the same key later is refused. */
  async #answer(
    { isSettled, keptId, turnId, place }: TaskProjection,
    parts: InboundMessage['parts'],
    from: Originator,
  ): Promise<void> {
    if (!isSettled) {
      const message =
        'This task waits for an approval. Answer with "yes" or "no" and nothing else, or, where it waits for several, ' +
        'with one data part { approvalId, decision }, "granted" or "denied".'
      throw new BeachError('BAD_REQUEST', message)
    }
    try {
      const dedupeKey = `a2a:answer:${keptId}:${turnId}`
      await this.#sessions.post(place.session, { parts, from, dedupeKey, answers: turnId }, from.principal)
    } catch (error) {
      if (isBeachError(error, 'TURN_CLOSED')) throw new UnsupportedOperationError('This task has been cancelled.')
      if (!isBeachError(error, 'IDEMPOTENCY_MISMATCH')) throw error
      throw new UnsupportedOperationError('This question has been answered by another message already.')
    }
  }

  /** Decides, unless this message has done so before: then true. The task must ask, unless it was decided before. */
  async #decide(
    projection: TaskProjection,
    { parts, answer }: InboundMessage,
    messageId: string,
    from: Originator,
  ): Promise<boolean> {
    let isRepeat = false
    const checkDecision = ({ approvalId }: ApprovalAnswer) => {
      isRepeat = projection.hasDecision(approvalId)
      if (!isRepeat) requireAsking(projection)
      if (isRepeat || !projection.isSettled) return
      throw new BeachError('BAD_REQUEST', 'This task asks a question, and for no approval.')
    }
    const response = answer && [{ data: answer, metadata: { partType: 'approval-response' } }]
    const inbound = { parts: response ?? parts, from, dedupeKey: `a2a:${messageId}` }
    const { session } = projection.place
    const taken = await this.#sessions.take(session, inbound, from.principal, { checkDecision }).catch(asUsedBefore)
    if (taken.kind !== 'decided' || taken.decided === 'decided') return isRepeat
    if (taken.decided === 'notFound') {
      throw new BeachError('BAD_REQUEST', 'There is no such approval, or it is not yours.')
    }
    const why = taken.decided === 'expired' ? 'has expired; it counts as denied' : 'has already been decided'
    throw new UnsupportedOperationError(`This approval ${why}.`)
  }
}

/** A part without how it was written: that makes no other message of it. */
function withoutForm(part: Part): Part {
  const { sent: _, ...a2a } = part.metadata.a2a as A2aMark
  return { ...part, metadata: { ...part.metadata, a2a } }
}

function holdsDecision({ parts, answer }: InboundMessage): boolean {
  return answer !== undefined || parts.some(isApprovalAction)
}

function isAskedToApprove({ state, isSettled }: TaskProjection): boolean {
  return state === TaskState.TASK_STATE_INPUT_REQUIRED && !isSettled
}

function requireAsking({ isTerminal, isAsking, isHeld }: TaskProjection): void {
  if (isTerminal) {
    throw new UnsupportedOperationError('This task is over. Send the message without taskId, in the same context.')
  }
  if (isHeld) {
    const message =
      'This task waits for an authorisation that comes another way, and goes on by itself. Wait, or cancel it.'
    throw new UnsupportedOperationError(message)
  }
  if (!isAsking) {
    throw new UnsupportedOperationError('This task is under way and asks nothing. Wait for it, or cancel it.')
  }
}

function usedBefore(): BeachError {
  const message = 'This messageId was used for another message of the task. Use a new one for each decision.'
  return new BeachError('IDEMPOTENCY_MISMATCH', message)
}

function asUsedBefore(error: unknown): never {
  throw isBeachError(error, 'IDEMPOTENCY_MISMATCH') ? usedBefore() : error
}

function bringsPush({ configuration }: SendMessageRequest): boolean {
  return configuration?.taskPushNotificationConfig !== undefined
}

/** A task that has just been accepted: nothing else is known of it yet. */
function submitted(
  { taskId, contextId }: TaskProjection,
  { messageId, extensions, referenceTaskIds }: CheckedRequest['message'],
  parts: InboundMessage['parts'],
  at: number,
): Task {
  const history = [
    {
      messageId,
      contextId,
      taskId,
      role: Role.ROLE_USER,
      parts: parts.map(sentPart),
      metadata: undefined,
      extensions,
      referenceTaskIds,
    },
  ]
  const status = {
    state: TaskState.TASK_STATE_SUBMITTED,
    message: undefined,
    timestamp: new Date(at).toISOString(),
  }
  return { id: taskId, contextId, status, artifacts: [], history, metadata: undefined }
}
