import { BeachError, type Frame, type Part, type Principal, type Runtime, type Sessions } from '@cool-ai/beach-core'
import type { NewSessionOptions, PostResult } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { isApprovalAction } from '@cool-ai/beach-protocol'
import {
  inputRequired,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequests,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { answerResult, type AnswerContext } from './answer-result.ts'
import { actionPart, askInput, decisionPart, parsed, resumeInput } from './ask-input.ts'
import { answerIn, approvalForms, canAsk, decidable, decisionFromForm, questionForm } from './ask-person.ts'
import type { Caller } from './caller.ts'
import type { Conversation, Conversations } from './conversations.ts'
import { decideOnce } from './decide-once.ts'
import { showsSurfaces } from './shows-surfaces.ts'
import { openApproval, outcomeOf, outcomeWithin, startsWith, type CallStart, type TurnOutcome } from './turn-outcome.ts'
import type { CallTasks } from './tasks/call-tasks.ts'
import { takesTasks } from './tasks/task-methods.ts'

/** What a call that waits for a person's answer needs to go on; it travels through the client, signed. */
export interface AskState {
  readonly conversationId: string
  readonly turnId: string
  /** The seq from which on the turn's events are; among the last turns when left out. */
  readonly from?: number
  readonly seen: number
  /** The approvals that were asked about; empty for a question. */
  readonly approvals: readonly string[]
  /** What became of the call's own message, where the approvals are of another turn. */
  readonly message?: CallMessage | undefined
}

/** A message that could not be taken, or that waits for its turn. */
export type CallMessage = 'notTaken' | Pick<PostResult, 'messageId' | 'seq'>

export interface AskContext extends AnswerContext {
  readonly runtime: Runtime
  readonly sessions: () => Sessions
  readonly conversations: Conversations
  readonly states: RequestStateCodec<AskState>
  readonly maxCallMs: number
  readonly hasApp: boolean
  /** Makes tasks of calls that take long; absent where the extension is not served. */
  readonly tasks?: CallTasks | undefined
  readonly ending: () => AbortSignal
}

/** A call of one of the conversational tools. */
export interface AskCall {
  readonly caller: Caller
  readonly context: ServerContext
  readonly capabilities: ClientCapabilities | undefined
}

/** A call in its conversation. */
export interface Asking {
  readonly conversation: Conversation
  readonly call: AskCall
  readonly askContext: AskContext
}

type Answer = CallToolResult | InputRequiredResult

/** Says something to the agent and waits for what it answers. */
export async function ask(args: unknown, call: AskCall, askContext: AskContext): Promise<Answer> {
  const state = call.context.mcpReq.requestState<AskState>()
  if (state !== undefined) return continueCall(state, call, askContext)
  const { message, conversationId, action } = parsed(askInput, args)
  const { conversations } = askContext
  if (conversationId === undefined) {
    if (action !== undefined) throw needsConversation()
    const conversation = conversations.begin(call.caller)
    return say(message, { conversation, call, askContext }, { opening: { isNew: true } })
  }
  const part = action && actionPart(action, call.context.mcpReq._meta, askContext)
  const asking = { conversation: await conversations.find(call.caller, conversationId), call, askContext }
  if (part === undefined) return say(message, asking)
  if (!isApprovalAction(part)) return post(part, asking)
  // Approvals have a tool of their own, which hosts may guard by itself.
  throw new BeachError(
    'BAD_REQUEST',
    'An approval is decided with the tool whose name ends in _resume, not with this one.',
  )
}

/** Decides an approval and waits for what the agent makes of it. */
export async function resume(args: unknown, call: AskCall, askContext: AskContext): Promise<Answer> {
  const state = call.context.mcpReq.requestState<AskState>()
  if (state !== undefined) return continueCall(state, call, askContext)
  const input = parsed(resumeInput, args)
  const conversation = await askContext.conversations.find(call.caller, input.conversationId)
  const { session, principal } = conversation
  const { head } = await askContext.sessions().view(session, principal)
  const { approvalId } = await decideOnce(decisionPart(input), conversation, askContext.sessions())
  const begins = (frame: Frame) => frame.kind === 'part' && asksFor(frame.part, approvalId)
  const asking = { conversation, call, askContext }
  const from = tasksFor(asking) && (await seqOf(begins, asking))
  return wait({ begins, seen: head, from }, asking)
}

/** Where the last turns have this frame; undefined when they do not. */
async function seqOf(
  isIt: (frame: Frame) => boolean,
  { conversation, askContext }: Asking,
): Promise<number | undefined> {
  for await (const frame of askContext.sessions().history(conversation.session, conversation.to)) {
    if (isIt(frame) && frame.cursor !== undefined) return Number(frame.cursor)
  }
  return undefined
}

async function continueCall(state: AskState, call: AskCall, askContext: AskContext): Promise<Answer> {
  const { turnId, from, seen, approvals, message } = state
  const conversation = await askContext.conversations.find(call.caller, state.conversationId)
  const asking = { conversation, call, askContext }
  const { inputResponses } = call.context.mcpReq
  const place = { begins: (frame: Frame) => frame.turnId === turnId, seen, from }
  if (approvals.length === 0) {
    const answer = answerIn(inputResponses)
    // The key makes it one message, however often the state is sent again.
    if (answer !== undefined) return say(answer, asking, { dedupeKey: `mcp:answer:${turnId}` })
    return unanswered(place, asking, message)
  }
  let undecided = 0
  for (const approvalId of approvals) {
    const decision = decisionFromForm(inputResponses, approvalId)
    if (decision === undefined) undecided++
    else await decideOnce(decisionPart({ approvalId, ...decision }), conversation, askContext.sessions())
  }
  if (undecided > 0) return unanswered(place, asking, message)
  return typeof message === 'object' ? answerTo(message, asking) : wait(place, asking, message)
}

interface PostOptions {
  readonly dedupeKey?: string | undefined
  readonly opening?: NewSessionOptions | undefined
}

function say(text: string, asking: Asking, how?: PostOptions): Promise<Answer> {
  return post({ text, metadata: { partType: 'message' } }, asking, how)
}

async function post(part: Part, asking: Asking, { dedupeKey, opening }: PostOptions = {}): Promise<Answer> {
  const { conversation, askContext } = asking
  const { session, principal, to: from } = conversation
  // What answers a form was asked for; anything else can be said again once the approval is decided.
  const open =
    opening === undefined && dedupeKey === undefined ? await openApproval(conversation, askContext) : undefined
  if (open !== undefined) return show(open, {}, asking, 'notTaken')
  const message = { parts: [part], from, dedupeKey }
  const posted = await askContext.sessions().post(session, message, principal, opening)
  return answerTo(posted, asking, opening !== undefined)
}

/** The answer to a message, or another turn's approval that must be decided before that. */
async function answerTo(message: Exclude<CallMessage, 'notTaken'>, asking: Asking, isFirst = false): Promise<Answer> {
  const { messageId, seq: from } = message
  const onSuspended = () => openApproval(asking.conversation, asking.askContext, messageId)
  const open = isFirst ? undefined : await onSuspended()
  if (open !== undefined) return show(open, {}, asking, message)
  return wait({ begins: (frame) => startsWith(frame, messageId), from, onSuspended }, asking, message)
}

async function wait(place: CallStart, asking: Asking, message?: CallMessage): Promise<Answer> {
  const tasks = tasksFor(asking)
  const seq = taskSeq(place, message)
  if (tasks === undefined || seq === undefined) return show(await outcomeOf(place, asking), place, asking, message)
  const outcome = tasks.afterMs > 0 ? await outcomeWithin(tasks.afterMs, place, asking) : undefined
  return outcome === undefined ? tasks.create(seq, asking) : show(outcome, place, asking, message)
}

/** Where calls of this client become tasks: it must have said that it takes them. */
function tasksFor({ call, askContext }: Asking): CallTasks | undefined {
  return askContext.tasks !== undefined && takesTasks(call.context) ? askContext.tasks : undefined
}

/** Where the task of a call begins; a message that was not taken begins none. */
function taskSeq({ from }: Pick<CallStart, 'from'>, message: CallMessage | undefined): number | undefined {
  if (message === 'notTaken') return undefined
  return message?.seq ?? from
}

/** The outcome as a form for the user, where there is something to ask and the client can ask; else as the result. */
async function show(
  outcome: TurnOutcome,
  { from }: Pick<CallStart, 'from'>,
  asking: Asking,
  message?: CallMessage,
): Promise<Answer> {
  const { conversation, call, askContext } = asking
  const isOpen = outcome.isOther === true || message === 'notTaken'
  const forms = canAsk(call.capabilities) ? formsFor(outcome, conversation.principal) : undefined
  if (forms === undefined) return resultFor(outcome, asking, isOpen ? message : undefined)
  // A person may take long, and a client can keep a task.
  const seq = taskSeq({ from }, message)
  const tasks = seq === undefined ? undefined : tasksFor(asking)
  if (tasks !== undefined && seq !== undefined) return tasks.create(seq, asking)
  const state: AskState = {
    conversationId: conversation.conversationId,
    turnId: outcome.envelope.meta.turnId,
    seen: outcome.seen,
    approvals: outcome.pending.length === 0 ? [] : Object.keys(forms),
    ...defined({ from: outcome.isOther === true ? undefined : from, message: isOpen ? message : undefined }),
  }
  return inputRequired({ inputRequests: forms, requestState: await askContext.states.mint(state, call.context) })
}

/** The answer as it stands, for a user who did not fill in a form. */
async function unanswered(place: CallStart, asking: Asking, message?: CallMessage): Promise<Answer> {
  return resultFor(await outcomeOf(place, asking), asking, message)
}

/** The outcome as the result of the conversational tool, for this client. */
export function resultFor(outcome: TurnOutcome, { conversation, call, askContext }: Asking, message?: CallMessage) {
  const { capabilities, context } = call
  const claims = { capabilities, meta: context.mcpReq._meta, hasApp: askContext.hasApp }
  return answerResult(outcome, conversation, askContext, {
    unanswered: message,
    hasSurfaces: showsSurfaces(claims, conversation),
  })
}

/** Forms for what an outcome asks of this principal; the question's is under the key. */
export function formsFor({ envelope, pending }: TurnOutcome, by: Principal, key?: string): InputRequests | undefined {
  if (pending.length === 0) {
    return envelope.meta.turnState === 'clarifying' ? questionForm(envelope.parts, key) : undefined
  }
  const requests = decidable(envelope.parts, pending, by)
  return requests.length === 0 ? undefined : approvalForms(requests)
}

function asksFor({ metadata, data }: Part, approvalId: string): boolean {
  const isRequest = metadata.partType === 'approval-request' && typeof data === 'object' && data !== null
  return isRequest && 'approvalId' in data && data.approvalId === approvalId
}

function needsConversation(): BeachError {
  return new BeachError('BAD_REQUEST', 'An action needs the `conversationId` of the result that showed the surface.')
}
