import type { UserMessage } from '@ag-ui/core'
import {
  BeachError,
  isBeachError,
  type Part,
  type PartTypeRegistry,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import type { ApprovalAnswer, Decided, FramePosition } from '@cool-ai/beach-core/ports'
import { isApprovalAction } from '@cool-ai/beach-protocol'
import { givenParts, isResponse } from './given-parts.ts'
import { actionPart, answerPart, contextParts, forwardedParts, messageParts } from './inbound.ts'
import type { RunWarning } from './run-warning.ts'
import { readAnswers, type Answers } from './resume.ts'
import { before, inputForSlices, sendToSlices, withReplies, type SliceReplies } from './send-to-slices.ts'
import type { RunInput } from './run-input.ts'
import { lacksText, placed } from './placed-run.ts'
import type { Thread } from './thread.ts'
import type { ThreadReader } from './thread-reader.ts'
import type { ThreadSession } from './threads.ts'

/** A run that was taken in: what it waits for, and where to read from. */
export interface TakenRun {
  /** Where what the client lacks begins; the last turns when absent. */
  readonly from?: FramePosition | undefined
  /** False when there is nothing to read, because nothing has ever been said. */
  readonly exists: boolean
  /** How far clients of the thread had been told of it when the run came. */
  readonly toldUpTo?: number
  /** True when it has brought a message. */
  readonly isNew?: boolean
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
    const toldUpTo = Math.min(Number(this.#reader.shownUpTo(place) ?? Infinity), Number(thread?.cursor ?? 0))
    const { resume = [] } = input
    const asks = thread && resume.length > 0 ? await this.#sessions.inputRequests(place.session, place.principal) : []
    const answers = readAnswers(resume, thread, asks)
    const notices = [...answers.notices, ...ignoredTools(input)]
    const action = actionPart(input, partTypes, runtime.clock)
    const given = givenParts(input, partTypes, this.#sessions.handledNamespaces)
    const forwarded = forwardedParts(input, partTypes)
    const fresh = newMessages(input, thread)
    if (thread?.runs.has(input.runId) === true && fresh.length > 0) throw runIdUsed()
    // What decides an approval is no message.
    const deciding = [...(action && isApprovalAction(action) ? [action] : []), ...given.filter(isResponse)]
    const parted = await this.#decideBy(deciding, input, place, notices)
    const decisions = [...answers.decisions, ...parted]
    notices.push(...(await this.#decide(answers.decisions, place)), ...(await this.#withdraw(answers.withdrawn, place)))
    const now = decisions.length + answers.withdrawn.length > 0 ? await this.#reader.read(place) : thread
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
    const posted = await this.#post({ input, place, answers, fresh, acted, notices }, now)
    const isNew = posted?.duplicate === false
    const [isAnswer, at] = [answers.answer !== undefined, runtime.clock.now()]
    const taken = {
      ...placed({ input, thread: now, earlier, during, posted, decisions, isAnswer, notices, at }),
      toldUpTo,
      isNew,
    }
    if (reply === undefined) return taken
    const isAlone = posted === undefined && earlier === undefined && decisions.length === 0
    const shownUpTo = lacksText(taken, now, during) ? undefined : this.#reader.shownUpTo(place)
    return withReplies(taken, reply, { before: undelivered, isAlone, shownUpTo, during })
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
      notices.push(...noticesOf(approvalId, await this.#sessions.decide(approvalId, made, principal, session)))
    }
    return notices
  }

  async #withdraw(turnIds: readonly string[], { principal, session }: ThreadSession): Promise<RunWarning[]> {
    const notices: RunWarning[] = []
    for (const turnId of turnIds) {
      if (!(await this.#sessions.withdraw(session, turnId, principal))) notices.push(alreadyAnswered(turnId))
    }
    return notices
  }

  /** Says what the run brings, unless that was done before, or the thread waits for something else. */
  async #post({ input, place, answers, fresh, acted, notices }: RunRequest, thread: Thread | undefined) {
    const { runId } = input
    const { answer } = answers
    if (thread?.runs.has(runId) === true) return undefined
    const isOpen = answer !== undefined && thread?.question?.turnId === answer.turnId
    if (answer !== undefined && !isOpen) notices.push(alreadyAnswered(answer.turnId))
    // Messages that are not taken now stay with the client, and come again with the run that decides.
    const isBlocked = thread !== undefined && thread.pendingAt(this.#options.runtime.clock.now()).length > 0
    const said: Part[] = isBlocked
      ? []
      : [...(isOpen ? [answerPart(answer.text, runId)] : []), ...messageParts(fresh, runId)]
    const parts = [...(said.length > 0 ? contextParts(input) : []), ...said, ...acted]
    if (parts.length === 0) return undefined
    // A question is answered once, whichever run does it.
    const dedupeKey = isOpen ? `agui:answer:${answer.turnId}` : `agui:run:${runId}`
    const message = { parts, from: place.to, dedupeKey, answers: isOpen ? answer.turnId : undefined }
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

function ignoredTools({ tools }: RunInput): RunWarning[] {
  if (tools.length === 0) return []
  const message = 'This agent has its own tools and calls none of the client’s.'
  return [{ code: 'TOOLS_IGNORED', message }]
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
