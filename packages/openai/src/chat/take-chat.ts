import type { ThreadSession } from '@cool-ai/beach-channel/threads'
import type { Part } from '@cool-ai/beach-core'
import { ifFound } from '@cool-ai/beach-core/runtime'
import type { AnswerPlan } from '../answers/answering.ts'
import type { Desk, Visit } from '../desk.ts'
import { paramError } from '../openai-error.ts'
import { answerForm } from '../requests/answer-form.ts'
import type { Asked } from '../requests/asked.ts'
import { givenBy } from '../requests/client-offer.ts'
import { contentsOf, partsOf, wordsOf } from '../requests/given-content.ts'
import { requireNoOpenCall, takeMessage } from '../requests/take-message.ts'
import { takeOutputs, type GivenOutput } from '../requests/take-outputs.ts'
import { historyPart, saidIn, type ChatTips, type SaidBefore } from './chat-history.ts'
import type { ChatMessage, ChatRequest } from './chat-request.ts'

/** A chat completion that was taken in, and what was said in its conversation up to the answer. */
export interface TakenChat {
  readonly plan: AnswerPlan
  readonly said: readonly SaidBefore[]
  readonly user: string | undefined
}

/** A request for a chat completion, and who makes it. */
export interface ChatAsked {
  readonly desk: Desk
  readonly tips: ChatTips
  readonly asked: Asked
  readonly visit: Visit
  /** Word for word. */
  readonly body: unknown
  readonly request: ChatRequest
}

/** Takes in what is new among the messages of a client. */
export async function takeChat(chat: ChatAsked): Promise<TakenChat> {
  const { desk, visit, request } = chat
  const { sessions } = desk.options
  const { messages } = request
  const form = answerForm(request.response_format, 'response_format')
  const tools = (request.tools ?? []).map(({ type, function: given }) => ({ type, ...given }))
  const about = { instructions: instructionsIn(messages), form, choice: request.tool_choice }
  const { offer, decides } = givenBy(tools, about, sessions.ownTools)
  const user = request.user ?? request.safety_identifier ?? undefined
  const start = messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const outputs = outputsIn(messages, start)
  const hasMore = messages.slice(start).some(({ role }) => role === 'user')
  const common = { decides, form, isDetached: false }
  const said = saidIn(messages)
  if (outputs.length > 0) {
    if (hasMore) throw paramError('messages', 'Say more once the agent has answered to the outputs of its calls.')
    const by = { sessions, threads: desk.threads, principal: visit.principal, isStored: true }
    const { place, answer, brings } = await takeOutputs(outputs, by)
    return { plan: { ...common, place, answer, isNew: brings }, said, user }
  }
  if (!hasMore) throw paramError('messages', 'The last message is of the user, or the output of a call.')
  const before = saidIn(messages.slice(0, start))
  const place = await placeOf(chat, before, user)
  const parts = await partsToSay(chat, place, { before, start })
  const message = { parts, offer, name: chat.asked.name, body: chat.body, isStored: true }
  const { answer, duplicate } = await takeMessage(sessions, place, message)
  return { plan: { ...common, place, answer, isNew: !duplicate }, said, user }
}

/** The session of the conversation. */
async function placeOf(
  { desk, tips, asked, visit: { principal }, request }: ChatAsked,
  before: readonly SaidBefore[],
  user: string | undefined,
): Promise<ThreadSession> {
  const { threads, options } = desk
  const find = (thread: string) => threads.find(thread, principal)
  const named = request.metadata?.conversation_id
  const known = async () => {
    return before.length === 0 ? undefined : tips.find(before, principal, user, (session) => ifFound(find(session)))
  }
  const thread = named ?? (await known())?.session ?? asked.name
  const place = await find(asked.thread ?? (await asked.isOf(thread)))
  if (asked.thread === undefined) {
    await requireNoOpenCall(options.sessions, place)
    await desk.followed.moveOn(place)
  }
  return place
}

/** What the user says, after what the session does not know of the conversation. */
async function partsToSay(
  { desk, visit, request: { messages } }: ChatAsked,
  { session, principal }: ThreadSession,
  { before, start }: { readonly before: readonly SaidBefore[]; readonly start: number },
): Promise<Part[]> {
  const { artifacts, sessions } = desk.options
  const contents = messages.flatMap(({ role, content }, at) => {
    return at >= start && role === 'user' ? contentsOf(content, `messages[${at}].content`) : []
  })
  const files = { artifacts, tenant: principal.tenant, session, signal: visit.request.signal }
  const parts = await partsOf(contents, files)
  if (parts.length === 0) throw paramError('messages', 'The last message of the user is empty.')
  if (before.length === 0) return parts
  const hasBegun = (await ifFound(sessions.checkAccess(session, principal))) !== undefined
  return hasBegun ? parts : [historyPart(before), ...parts]
}

function outputsIn(messages: readonly ChatMessage[], start: number): GivenOutput[] {
  return messages.slice(start).flatMap(({ role, content, tool_call_id: callId }, at): GivenOutput[] => {
    if (role !== 'tool') return []
    const param = `messages[${start + at}]`
    if (callId === undefined) throw paramError(param, 'A message of role `tool` has the `tool_call_id` that it is for.')
    return [{ callId, output: wordsOf(contentsOf(content, `${param}.content`)), param }]
  })
}

function instructionsIn(messages: readonly ChatMessage[]): string | undefined {
  const texts = messages.flatMap(({ role, content }, at) =>
    role === 'system' || role === 'developer' ? [wordsOf(contentsOf(content, `messages[${at}].content`))] : [],
  )
  const text = texts.join('\n\n').trim()
  return text === '' ? undefined : text
}
