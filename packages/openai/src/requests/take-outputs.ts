import { requireDecided } from '@cool-ai/beach-channel/live'
import { BeachError, type Principal, type Sessions } from '@cool-ai/beach-core'
import type { ClientAnswered, ClientResult } from '@cool-ai/beach-core/ports'
import { defined, ifFound } from '@cool-ai/beach-core/runtime'
import type { ThreadSession } from '@cool-ai/beach-channel/threads'
import { parseCallId, type AnswerRef, type AnswerTerms, type CallRef } from '../answers/answer-ref.ts'
import { restOf } from '../answers/follow-answer.ts'
import type { Desk } from '../desk.ts'
import { paramError } from '../openai-error.ts'
import { decisionOf } from './approval-tool.ts'
import { wordsOf, type Content } from './given-content.ts'

/** The output of a call, as a client gives it. */
export interface GivenOutput {
  readonly callId: string
  readonly contents: readonly Content[]
  /** Where it is in the request. */
  readonly param: string
}

/** As much as tools of the agent may say. */
const maxLength = 60_000

const refusals: Readonly<Record<Exclude<ClientAnswered, 'taken'>, string>> = {
  already: 'has another output, which came first.',
  expired: 'was given up: its output came too late.',
  over: 'belongs to a turn that is over.',
  notFound: 'is none that this client was asked for.',
}

/** Takes in what a client has run or decided; gives the answer that goes on with it. */
export async function takeOutputs(
  given: readonly GivenOutput[],
  {
    desk,
    principal,
    terms,
    after,
  }: {
    readonly desk: Desk
    readonly principal: Principal
    readonly terms: AnswerTerms
    /** The answer that the client says the calls were in. */
    readonly after: AnswerRef | undefined
  },
): Promise<{ readonly place: ThreadSession; readonly answer: AnswerRef; readonly brings: boolean }> {
  const { sessions } = desk.options
  const calls = given.map((one) => ({ ...one, output: wordsOf(one.contents), ref: refOf(one) }))
  const [first] = calls
  if (first === undefined) throw new BeachError('INTERNAL', 'There are no outputs to take.')
  const asked = first.ref.answer
  for (const ref of [...calls.map((call) => call.ref.answer), ...(after ? [after] : [])]) {
    if (ref.session === asked.session && ref.from === asked.from) continue
    throw paramError(
      first.param,
      'The outputs of one request are of the calls of one answer, and of the one that it goes on with.',
    )
  }
  const place = await placeOfAnswer(asked, desk, principal, first.param)
  const rest = await restOf({ sessions, place, answer: asked })
  const known = new Set([...rest.calls, ...rest.approvals])
  for (const { ref, callId, param } of calls) {
    if (!known.has(ref.id)) throw paramError(param, `The call '${callId}' ${refusals.notFound}`)
  }
  const { turn } = await sessions.view(place.session, principal)
  const open = new Set(turn?.turnId === rest.turnId ? turn?.pendingApprovals : [])
  requireAll(calls, rest.calls, first.param)
  // All is looked at before any of it counts.
  const decisions = calls
    .filter(({ ref }) => ref.kind === 'approval')
    .map(({ ref, output }) => ({ approvalId: ref.id, ...decisionOf(output) }))
  const brought = await answer(calls, place, { sessions, asked, upTo: rest.upTo })
  for (const { approvalId, approved, reason } of decisions.filter(({ approvalId: id }) => open.has(id))) {
    const decision = approved ? ('granted' as const) : ('denied' as const)
    const made = { decision, ...defined({ reason }), via: place.to.transport, dedupeKey: `openai:${approvalId}` }
    requireDecided(await sessions.decide(approvalId, made, principal, place.session))
  }
  const { turnId = '' } = rest
  const next = { ...terms, session: place.session, from: rest.upTo, of: { turnId } }
  return { place, answer: next, brings: brought || open.size > 0 }
}

type Call = GivenOutput & { readonly output: string; readonly ref: CallRef }

function refOf({ callId, param }: GivenOutput): CallRef {
  const ref = parseCallId(callId)
  if (ref === undefined) throw paramError(param, `There is no call '${callId.slice(0, 100)}' of this agent.`)
  return ref
}

/** The session of an answer, if it is the caller's. */
export async function placeOfAnswer(
  { session }: AnswerRef,
  { threads }: Desk,
  principal: Principal,
  param: string,
): Promise<ThreadSession> {
  const place = await ifFound(threads.find(session, principal))
  if (place !== undefined) return place
  throw new BeachError('NOT_FOUND', 'There is no such response, or it is not yours.', { details: { param } })
}

function requireAll(calls: readonly Call[], open: ReadonlySet<string>, param: string): void {
  const given = new Set(calls.map(({ ref }) => ref.id))
  const missing = [...open].filter((id) => !given.has(id))
  if (missing.length > 0) throw paramError(param, `Send the outputs of all calls together: ${missing.length} missing.`)
}

/** True when one of the results was news. */
async function answer(
  calls: readonly Call[],
  place: ThreadSession,
  { sessions, asked, upTo }: { readonly sessions: Sessions; readonly asked: AnswerRef; readonly upTo: number },
): Promise<boolean> {
  const own = calls.filter(({ ref }) => ref.kind === 'call')
  for (const { output, param } of own) {
    if (output.length > maxLength)
      throw paramError(param, `An output may have ${maxLength} characters; this has ${output.length}.`)
  }
  if (own.length === 0) return false
  const results = own.map(({ ref, output }): ClientResult => ({ callId: ref.id, outcome: 'ok', value: output }))
  const answered = await sessions.answerCalls(asked.session, results, place.to, place.principal)
  let isNews = false
  for (const [index, outcome] of answered.entries()) {
    const call = own[index]
    if (call === undefined) continue
    if (outcome === 'taken') isNews = true
    else if (!(outcome === 'over' && (await hasResult(sessions, place, { upTo, call })))) {
      throw paramError(call.param, `The call '${call.callId}' ${refusals[outcome]}`)
    }
  }
  return isNews
}

/** True for an output that counted: its request comes again after the turn was over. */
async function hasResult(
  sessions: Sessions,
  { session, viewer }: ThreadSession,
  { upTo, call }: { readonly upTo: number; readonly call: Call },
): Promise<boolean> {
  for await (const frame of sessions.history(session, viewer, String(upTo))) {
    if (frame.kind === 'result' && frame.callId === call.ref.id) return frame.value === call.output
  }
  return false
}
