import type { UserMessage } from '@ag-ui/core'
import {
  BeachError,
  isBeachError,
  type Part,
  type PartTypeRegistry,
  type Principal,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import type { ApprovalAnswer, ClientOffer, ClientResult, Decided, FramePosition } from '@cool-ai/beach-core/ports'
import { isApprovalAction } from '@cool-ai/beach-protocol'
import { offerOf, type ClientToolsOption } from './client-offer.ts'
import { givenUp, readResults, refusal, wentOn } from './client-results.ts'
import { givenParts, isResponse } from './given-parts.ts'
import { actionPart, answerPart, contextParts, forwardedParts, messageParts } from './inbound.ts'
import type { RunWarning } from './run-warning.ts'
import { readAnswers, type Answers } from './resume.ts'
import { before, inputForSlices, sendToSlices, withReplies, type SliceReplies } from './send-to-slices.ts'
import type { RunInput } from './run-input.ts'
import { lacksText, placed } from './placed-run.ts'
import type { Thread } from './thread.ts'
import type { ThreadReader } from './thread-reader.ts'
import type { ThreadSession } from '@cool-ai/beach-channel/threads'

/** A run that was taken in: what it waits for, and where to read from. */
export interface TakenRun {
  /** Where what the client lacks begins; the last turns when absent. */
  readonly from?: FramePosition | undefined
  /** False when there is nothing to read, because nothing has ever been said. */
  readonly exists: boolean
  /** How far clients of the thread had been told of it when the run came. */
  readonly encodedUpTo?: number
  /** True when it has brought something: a message, or an answer to what was asked. */
  readonly brings?: boolean
  /** Messages whose turns the run shows to their end. */
  readonly awaits: ReadonlySet<string>
  /** Turns that it shows to their end. */
  readonly turns: ReadonlySet<string>
  /** A turn that was under way when the run came, and is another caller's. */
  readonly hides?: string | undefined
  /** True when nothing more comes before a decision. */
  readonly rests: boolean
  readonly notices: readonly RunWarning[]
  /** What came of what the run has said to slices. */
  readonly replies?: SliceReplies
}

export interface IntakeOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly clientTools?: ClientToolsOption | undefined
  /** Called before a message of a thread is taken. */
  readonly onNews: (place: ThreadSession) => Promise<void>
}

const undecided: Readonly<Record<Exclude<Decided, 'decided'>, Omit<RunWarning, 'interruptId'>>> = {
  already: { code: 'ALREADY_DECIDED', message: 'This had been decided before, or its turn is over.' },
  expired: { code: 'EXPIRED', message: 'This was not decided in time; it counts as denied.' },
  notFound: { code: 'NOT_YOURS', message: 'Another person must decide this.' },
}

/** Takes runs in: they bring messages, answer what was asked, or go on with what is under way. */
export class Intake {
  readonly #sessions: Sessions
  readonly #reader: ThreadReader
  readonly #options: IntakeOptions

  constructor(sessions: Sessions, reader: ThreadReader, options: IntakeOptions) {
    this.#sessions = sessions
    this.#reader = reader
    this.#options = options
  }

  async take(input: RunInput, place: ThreadSession): Promise<TakenRun> {
    const { partTypes, runtime } = this.#options
    const thread = await this.#reader.read(place)
    const encodedUpTo = Math.min(Number(this.#reader.shownUpTo(place) ?? Infinity), Number(thread?.cursor ?? 0))
    const { resume = [] } = input
    const asks = thread && resume.length > 0 ? await this.#sessions.inputRequests(place.session, place.principal) : []
    const answers = readAnswers(resume, thread, asks)
    const action = actionPart(input, partTypes, runtime.clock)
    const given = givenParts(input, partTypes, this.#sessions.handledNamespaces)
    const forwarded = forwardedParts(input, partTypes)
    const fresh = newMessages(input, thread)
    if (thread?.runs.has(input.runId) === true && fresh.length > 0) throw runIdUsed()
    const brought = readResults(input, thread)
    const { offer, notices: refused } = offerOf(input, thread, { ...this.#options, ownTools: this.#sessions.ownTools })
    const notices = [...answers.notices, ...brought.notices, ...refused]
    // What decides an approval is no message.
    const deciding = [...(action && isApprovalAction(action) ? [action] : []), ...given.filter(isResponse)]
    const answering = deciding.length + answers.decisions.length + brought.results.length
    // A message brings it along; what only goes on has no news of the client.
    if (thread !== undefined && answering > 0) {
      await this.#sessions.offer(place.session, place.to, offer, place.principal)
    }
    const parted = await this.#decideBy(deciding, input, place, notices)
    const decisions = [...answers.decisions, ...parted]
    notices.push(...(await this.#decide(answers.decisions, place)), ...(await this.#withdraw(answers.withdrawn, place)))
    const finished = await this.#finish(input, place, thread, { results: brought.results, fresh, notices })
    const now = answering + answers.withdrawn.length + finished.size > 0 ? await this.#reader.read(place) : thread
    const undelivered = before(now)
    const reply = await sendToSlices(
      this.#sessions,
      place,
      inputForSlices(input, answers.resumed, this.#sessions.handledNamespaces),
    )
    const acted = [...(action ? [action] : []), ...given, ...forwarded].filter((part) => !deciding.includes(part))
    // Before the message is there: other readers of the thread may find it meanwhile.
    const earlier = now?.runs.get(input.runId)
    const during = now?.openTurn?.turnId
    const posted = await this.#post({ input, place, answers, fresh, acted, offer, notices }, now)
    const [isAnswer, at] = [answers.answer !== undefined, runtime.clock.now()]
    const calls = [...finished].flatMap((callId) => now?.calls.get(callId) ?? [])
    const taken = {
      ...placed({ input, thread: now, earlier, during, posted, decisions, calls, isAnswer, notices, at }),
      encodedUpTo,
      brings: posted?.duplicate === false || decisions.length + calls.length > 0,
    }
    if (reply === undefined) return taken
    const isAlone = posted === undefined && earlier === undefined && decisions.length + calls.length === 0
    const shownUpTo = lacksText(taken, now, during) ? undefined : this.#reader.shownUpTo(place)
    return withReplies(taken, reply, { before: undelivered, isAlone, shownUpTo, during })
  }

  /** Ends calls of the client: by the results that it brings, and those that it has given up. The ids of all that ended. */
  async #finish(
    input: RunInput,
    { session, to, principal }: ThreadSession,
    thread: Thread | undefined,
    { results, fresh, notices }: Pick<RunRequest, 'fresh' | 'notices'> & { readonly results: readonly ClientResult[] },
  ): Promise<ReadonlySet<string>> {
    const brought = new Set(results.map(({ callId }) => callId))
    const awaited = thread?.awaitedCallsAt(this.#options.runtime.clock.now()) ?? []
    const left = fresh.length === 0 ? [] : awaited.filter(({ callId }) => !brought.has(callId))
    const gone = givenUp(input, left).calls.map(({ callId }) => ({ callId, outcome: 'failed' as const, value: wentOn }))
    const all = [...results, ...gone]
    if (all.length === 0) return brought
    const answered = await this.#sessions.answerCalls(session, all, to, principal)
    const ended = new Set<string>()
    for (const [index, { callId }] of all.entries()) {
      const outcome = answered[index] ?? 'notFound'
      if (outcome === 'taken') ended.add(callId)
      else if (brought.has(callId)) notices.push(refusal(callId, outcome))
    }
    return ended
  }

  /** Decides by parts: actions on the surfaces of approvals, and approval responses. */
  async #decideBy(
    parts: readonly Part[],
    { runId }: RunInput,
    { session, to: from, principal }: ThreadSession,
    notices: RunWarning[],
  ): Promise<ApprovalAnswer[]> {
    const answers: ApprovalAnswer[] = []
    for (const [index, part] of parts.entries()) {
      const inbound = { parts: [part], from, dedupeKey: `agui:run:${runId}:${index}` }
      const taken = await this.#sessions.take(session, inbound, principal)
      if (taken.kind !== 'decided') continue
      notices.push(...noticesOf(taken.answer.approvalId, taken.decided))
      answers.push(taken.answer)
    }
    return answers
  }

  async #decide(decisions: readonly ApprovalAnswer[], { principal, session }: ThreadSession): Promise<RunWarning[]> {
    const notices: RunWarning[] = []
    for (const { approvalId, ...decision } of decisions) {
      const made = { ...decision, via: 'agui' }
      const decided = await this.#sessions.decide(approvalId, made, principal, session)
      const [notice] = noticesOf(approvalId, decided)
      const reply = decided === 'already' ? await this.#decidedBefore(approvalId, session, principal) : undefined
      if (notice !== undefined) notices.push({ ...notice, message: reply ?? notice.message })
    }
    return notices
  }

  /** How, where and when a request was decided, for an approver whose decision came too late. */
  async #decidedBefore(approvalId: string, session: string, { tenant }: Principal): Promise<string | undefined> {
    // Loaded when it is needed: few decisions come late.
    const { approvalRecord, decidedText } = await import('@cool-ai/beach-channel/people')
    const { decision } = await approvalRecord(this.#sessions, { approvalId, session, tenant, transport: 'agui' })
    return decision && decidedText(decision)
  }

  async #withdraw(turnIds: readonly string[], { principal, session }: ThreadSession): Promise<RunWarning[]> {
    const notices: RunWarning[] = []
    for (const turnId of turnIds) {
      if (!(await this.#sessions.withdraw(session, turnId, principal))) notices.push(alreadyAnswered(turnId))
    }
    return notices
  }

  /** Says what the run brings, unless that was done before, or the thread waits for something else. */
  async #post({ input, place, answers, fresh, acted, offer, notices }: RunRequest, thread: Thread | undefined) {
    const { runId } = input
    const { answer } = answers
    if (thread?.runs.has(runId) === true) return undefined
    const isOpen = answer !== undefined && thread?.question?.turnId === answer.turnId
    if (answer !== undefined && !isOpen) notices.push(alreadyAnswered(answer.turnId))
    // Messages that are not taken now stay with the client, and come again with the run that decides.
    const at = this.#options.runtime.clock.now()
    const isBlocked =
      thread !== undefined && (thread.pendingAt(at).length > 0 || givenUp(input, thread.awaitedCallsAt(at)).isBlocked)
    const said: Part[] = isBlocked
      ? []
      : [...(isOpen ? [answerPart(answer.text, runId)] : []), ...messageParts(fresh, runId)]
    const parts = [...(said.length > 0 ? contextParts(input) : []), ...said, ...acted]
    if (parts.length === 0) return undefined
    // A question is answered once, whichever run does it.
    const dedupeKey = isOpen ? `agui:answer:${answer.turnId}` : `agui:run:${runId}`
    const message = { parts, from: place.to, dedupeKey, answers: isOpen ? answer.turnId : undefined, offer }
    await this.#options.onNews(place)
    try {
      return await this.#sessions.post(place.session, message, place.principal, {})
    } catch (error) {
      const isWithdrawn = isBeachError(error, 'TURN_CLOSED')
      if (!isWithdrawn && !isBeachError(error, 'IDEMPOTENCY_MISMATCH')) throw error
      if (!isOpen) throw runIdUsed()
      notices.push(alreadyAnswered(answer.turnId))
      return undefined
    }
  }
}

interface RunRequest {
  readonly input: RunInput
  readonly place: ThreadSession
  readonly answers: Answers
  readonly fresh: readonly UserMessage[]
  readonly acted: readonly Part[]
  readonly offer: ClientOffer
  readonly notices: RunWarning[]
}

function newMessages({ messages }: RunInput, thread: Thread | undefined): UserMessage[] {
  const seen = new Set<string>()
  return messages.filter((message): message is UserMessage => {
    if (message.role !== 'user' || message.content.length === 0 || thread?.messages.has(message.id)) return false
    const isFirst = !seen.has(message.id)
    seen.add(message.id)
    return isFirst
  })
}

function noticesOf(interruptId: string, decided: Decided): RunWarning[] {
  return decided === 'decided' ? [] : [{ ...undecided[decided], interruptId }]
}

function alreadyAnswered(interruptId: string): RunWarning {
  return {
    code: 'ALREADY_ANSWERED',
    message: 'This question is not open any more. The entry was left out.',
    interruptId,
  }
}

function runIdUsed(): BeachError {
  return new BeachError('IDEMPOTENCY_MISMATCH', 'This runId was used for another run. Use a new one for each run.')
}
