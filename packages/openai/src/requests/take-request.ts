import type { ThreadSession } from '@cool-ai/beach-channel/threads'
import { BeachError, type Part } from '@cool-ai/beach-core'
import { ifFound } from '@cool-ai/beach-core/runtime'
import type { AnswerRef, AnswerTerms } from '../answers/answer-ref.ts'
import type { AnswerPlan } from '../answers/answering.ts'
import type { Desk, Visit } from '../desk.ts'
import { paramError } from '../openai-error.ts'
import { hasGoneOn, historyPart, saidIn, saidUpTo, type ChatTips, type SaidBefore } from './history.ts'
import type { AnswerForm } from './answer-form.ts'
import type { Asked } from './asked.ts'
import { givenBy, type RequestedTool } from './client-offer.ts'
import { partsOf, type Content } from './given-content.ts'
import { requireNoOpenCall, takeMessage } from './take-message.ts'
import { placeOfAnswer, takeOutputs, type GivenOutput } from './take-outputs.ts'
import { restOf } from '../answers/follow-answer.ts'

/** A message of a request, the same in both APIs. */
export interface GivenMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'output'
  readonly contents: readonly Content[]
  /** The call that an output is of. */
  readonly callId?: string | undefined
  readonly param: string
}

/** What a client asks, the same in both APIs. */
export interface GivenRequest {
  readonly messages: readonly GivenMessage[]
  readonly instructions: string | undefined
  readonly form: AnswerForm | undefined
  readonly tools: readonly RequestedTool[]
  readonly choice: unknown
  /** The client's word for one of its users. */
  readonly user: string | undefined
  /** The conversation that it names, or the answer that it goes on with. */
  readonly thread: { readonly name: string; readonly param: string } | { readonly after: AnswerRef } | undefined
  readonly terms: Pick<AnswerTerms, 'isStored' | 'isDetached'>
  /** What is kept with the message for the client. */
  readonly mark?: Readonly<Record<string, unknown>> | undefined
}

/** A request, and who makes it. */
export interface Asking {
  readonly desk: Desk
  readonly tips: ChatTips
  readonly asked: Asked
  readonly visit: Visit
  /** Word for word. */
  readonly body: unknown
  readonly given: GivenRequest
}

/** A request that was taken in, and what was said in its conversation up to the answer. */
export interface TakenRequest {
  readonly plan: AnswerPlan
  readonly said: readonly SaidBefore[]
}

/** Takes in what is new in a request. */
export async function takeRequest(asking: Asking): Promise<TakenRequest> {
  const { desk, visit, given } = asking
  const { sessions } = desk.options
  const { messages, form, thread } = given
  const { offer, decides } = givenBy(given, sessions.ownTools)
  const terms: AnswerTerms = { ...given.terms, decides, isJson: form !== undefined }
  const start = messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const fresh = messages.slice(start)
  const outputs = fresh.flatMap(({ callId, contents, param }): GivenOutput[] => {
    return callId === undefined ? [] : [{ callId, contents, param }]
  })
  const isSaying = fresh.some(({ role }) => role === 'user')
  const said = saidIn(messages)
  if (outputs.length > 0) {
    if (isSaying)
      throw paramError(outputs[0]?.param ?? '', 'Say more once the agent has answered to the outputs of its calls.')
    const after = thread !== undefined && 'after' in thread ? thread.after : undefined
    const { place, answer, brings } = await takeOutputs(outputs, { desk, principal: visit.principal, terms, after })
    return { plan: { place, answer, form, isNew: brings }, said }
  }
  if (!isSaying)
    throw paramError(
      given.messages[0]?.param.split('[')[0] ?? 'input',
      'The last message is of the user, or the output of a call.',
    )
  const before = saidIn(messages.slice(0, start))
  const { place, history } = await placeOf(asking, before)
  const parts = await partsToSay(asking, place, { history, start })
  // Only now: a request that is refused stops nothing.
  if (asking.asked.thread === undefined) await desk.followed.moveOn(place)
  const message = { parts, offer, name: asking.asked.name, body: asking.body, terms }
  const { answer, duplicate } = await takeMessage(sessions, place, message)
  return { plan: { place, answer, form, isNew: !duplicate }, said }
}

interface FoundPlace {
  readonly place: ThreadSession
  /** What was said before, which a new session is told. */
  readonly history: readonly SaidBefore[]
}

/** The session of the conversation. */
async function placeOf(asking: Asking, before: readonly SaidBefore[]): Promise<FoundPlace> {
  const { desk, asked, visit } = asking
  const find = async (thread: string) => {
    const place = await ifFound(desk.threads.find(thread, visit.principal))
    if (place !== undefined) return place
    throw new BeachError('NOT_FOUND', 'There is no such conversation, or it is not yours.', {
      details: { param: paramOf(asking.given) },
    })
  }
  if (asked.thread !== undefined) return { place: await find(asked.thread), history: before }
  const { thread, history } = await threadOf(asking, before)
  const place = await find(await asked.isOf(thread))
  await requireNoOpenCall(desk.options.sessions, place)
  return { place, history }
}

function paramOf({ thread }: GivenRequest): string {
  return thread !== undefined && 'param' in thread ? thread.param : 'previous_response_id'
}

interface FoundThread {
  readonly thread: string
  readonly history: readonly SaidBefore[]
}

async function threadOf(asking: Asking, before: readonly SaidBefore[]): Promise<FoundThread> {
  const { desk, tips, asked, visit, given } = asking
  const { principal } = visit
  const { thread, user } = given
  if (thread !== undefined && 'after' in thread) return threadAfter(asking, thread.after)
  if (thread !== undefined) return { thread: thread.name, history: before }
  if (before.length === 0) return { thread: asked.name, history: [] }
  const known = await tips.find(before, principal, user, (session) => ifFound(desk.threads.find(session, principal)))
  return { thread: known?.session ?? asked.name, history: before }
}

/** Goes on after an answer: in its session, unless that has gone on from there already. */
async function threadAfter({ desk, asked, visit }: Asking, after: AnswerRef): Promise<FoundThread> {
  const { sessions } = desk.options
  const param = 'previous_response_id'
  const place = await placeOfAnswer(after, desk, visit.principal, param)
  const { end, upTo } = await restOf({ sessions, place, answer: after })
  if (end === 'cutOff') throw paramError(param, 'This response is still in progress.')
  if (!(await hasGoneOn(sessions, place, String(upTo)))) return { thread: place.session, history: [] }
  return { thread: asked.name, history: await saidUpTo(sessions, place, upTo) }
}

/** What the user says, after what a new session is to know of the conversation. */
async function partsToSay(
  { desk, visit, given: { messages, mark } }: Asking,
  { session, principal }: ThreadSession,
  { history, start }: { readonly history: readonly SaidBefore[]; readonly start: number },
): Promise<Part[]> {
  const { artifacts, sessions } = desk.options
  const fresh = messages.slice(start).filter(({ role }) => role === 'user')
  const files = { artifacts, tenant: principal.tenant, session, signal: visit.request.signal }
  const contents = fresh.flatMap((message) => message.contents)
  const [first, ...others] = await partsOf(contents, files)
  if (first === undefined) throw paramError(fresh[0]?.param ?? 'input', 'The last message of the user is empty.')
  const parts = [mark === undefined ? first : { ...first, metadata: { ...first.metadata, openai: mark } }, ...others]
  if (history.length === 0) return parts
  const hasBegun = (await ifFound(sessions.checkAccess(session, principal))) !== undefined
  return hasBegun ? parts : [historyPart(history), ...parts]
}
