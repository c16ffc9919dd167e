import { BeachError, type Frame, type Originator, type Part, type Principal, type Sessions } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { Watch } from '@cool-ai/beach-core/ports'
import { EnvelopeStream, type ApprovalRequest, type StreamPart } from '@cool-ai/beach-protocol'
import type { BackgroundThrottle } from './background-throttle.ts'
import { transcriptOf } from './transcript.ts'

/** Who decides in a test, why, and with which changes. */
export interface DecideOptions {
  /** The conversation's own principal when left out. */
  readonly by?: Principal | undefined
  readonly reason?: string | undefined
  /** The arguments that the approver changes before approving. */
  readonly args?: Readonly<Record<string, unknown>> | undefined
  /** Allows the tool for the rest of the session. */
  readonly allow?: { readonly upTo?: number | undefined } | undefined
}

interface ConversationOptions {
  /** Those of the process that runs now. */
  readonly sessions: () => Sessions
  /** The log of a session. */
  readonly log: (sessionId: string) => Promise<readonly SessionEvent[]>
  readonly principal: Principal
  readonly pace: BackgroundThrottle
  /** The agent's errors, for the message of a wait that timed out. */
  readonly problems: readonly string[]
}

/** One session of an agent on trial, as its owner sees it. */
export class TrialConversation {
  readonly sessionId: string
  readonly principal: Principal
  readonly #options: ConversationOptions
  readonly #originator: Originator
  readonly #stream = new EnvelopeStream()
  /** The turn that answers a message, by the message's id. */
  readonly #turnOf = new Map<string, string>()
  #watch: Promise<Watch> | undefined

  /** Its session is opened by the first message. */
  constructor(sessionId: string, options: ConversationOptions) {
    const { principal } = options
    this.sessionId = sessionId
    this.principal = principal
    this.#options = options
    this.#originator = { id: `test:${principal.id}`, transport: 'sse', deliveryClass: 'streaming', principal }
  }

  get turns(): readonly TrialTurn[] {
    return turnsOf(this.#stream)
  }

  /** All parts of the agent so far, of turns and of slices. */
  get parts(): readonly StreamPart[] {
    return this.#stream.parts.filter(({ role }) => role === 'agent')
  }

  /** Sends a message, and waits until its turn has settled or waits for an approval. */
  async say(what: string | readonly Part[]): Promise<TrialTurn> {
    const parts = typeof what === 'string' ? [{ text: what, metadata: { partType: 'message' } }] : what
    const message = { parts, from: this.#originator }
    await (this.#watch ??= this.#open())
    const { messageId } = await this.#options.sessions().post(this.sessionId, message, this.principal)
    return this.#rest(() => this.#turnOf.get(messageId))
  }

  /** Grants an approval, by default the only one that is open, and waits until its turn rests again. */
  approve(approval?: ApprovalRequest, options?: DecideOptions): Promise<TrialTurn> {
    return this.#decide('granted', approval, options)
  }

  /** Denies an approval, by default the only one that is open, and waits until its turn rests again. */
  deny(approval?: ApprovalRequest, options?: DecideOptions): Promise<TrialTurn> {
    return this.#decide('denied', approval, options)
  }

  /** The conversation as text: what came in, was called, decided and said. The same for the same conversation. */
  async transcript(): Promise<string> {
    return transcriptOf(await this.#options.log(this.sessionId))
  }

  /** Goes on with the process that runs now, where it stopped with the one before. */
  async reconnect(): Promise<void> {
    if (this.#watch === undefined) return
    const before = this.#watch
    this.#watch = this.#follow()
    ;(await before).stop()
    await this.#watch
  }

  async close(): Promise<void> {
    this.#stream.close()
    ;(await this.#watch)?.stop()
  }

  async #open(): Promise<Watch> {
    await this.#options.sessions().open({ id: this.sessionId, principal: this.principal })
    return this.#follow()
  }

  async #follow(): Promise<Watch> {
    const frames = (all: readonly Frame[]) => {
      for (const frame of all) this.#take(frame)
      return true
    }
    const end = () => this.#stream.close()
    const sessions = this.#options.sessions()
    const watch = await sessions.watch(this.sessionId, this.#originator, this.#stream.lastCursor, { frames, end })
    watch.resume()
    return watch
  }

  #take(frame: Frame): void {
    if (frame.kind === 'turn') for (const id of frame.messageIds ?? []) this.#turnOf.set(id, frame.turnId)
    this.#stream.apply(frame)
  }

  async #decide(
    decision: 'granted' | 'denied',
    approval = this.#onlyApproval(),
    { by = this.principal, reason, args, allow }: DecideOptions = {},
  ): Promise<TrialTurn> {
    const { approvalId } = approval
    const answer = { decision, reason, args, allow }
    const { sessions, pace } = this.#options
    const outcome = await pace.during(sessions().decide(approvalId, answer, by, this.sessionId))
    if (outcome !== 'decided') throw notDecided[outcome](approval.toolName)
    return this.#rest(() => (this.#stream.approvals.has(approvalId) ? approval.turn : undefined))
  }

  #onlyApproval(): ApprovalRequest {
    const open = this.turns.flatMap(({ approvals }) => approvals)
    const [only] = open
    if (only !== undefined && open.length === 1) return only
    const message =
      only === undefined
        ? 'No approval is open. Send a message that leads to one first.'
        : `${open.length} approvals are open. Say which one is meant, such as turn.approvals[0].`
    throw new BeachError('NOT_FOUND', message)
  }

  async #rest(turnId: () => string | undefined): Promise<TrialTurn> {
    const turn = () => this.turns.find((one) => one.turnId === turnId())
    const found = () => {
      const now = turn()
      return now !== undefined && isAtRest(now) ? now : undefined
    }
    await this.#options.pace.until(() => found() !== undefined)
    const rested = found()
    if (rested !== undefined) return rested
    throw new BeachError('TIMEOUT', this.#vain(turn()))
  }

  #vain(turn: TrialTurn | undefined): string {
    const state = turn === undefined ? 'has not begun' : `is still '${turn.turnState}'`
    const problems = this.#options.problems.map((problem) => `\n- ${problem}`).join('')
    const advice = 'If it waits for time to pass, call advance() before awaiting it; maxWaitMs says how long to wait.'
    return `The turn ${state}. ${advice}${problems === '' ? '' : `\nThe agent's problems:${problems}`}`
  }
}

const notDecided = {
  already: (tool: string) => new BeachError('ALREADY_DECIDED', `The approval of '${tool}' was decided before.`),
  expired: (tool: string) => new BeachError('EXPIRED', `The approval of '${tool}' has expired.`),
  notFound: (tool: string) => new BeachError('NOT_FOUND', `This conversation has no approval of '${tool}'.`),
}

/** A turn of a trial, when it has settled or waits for an approval. */
export interface TrialTurn {
  readonly turnId: string
  readonly turnState: string
  /** The turn's answer as text: its `response`, `clarify` and `error` parts, one paragraph each. */
  readonly text: string
  /** All of its parts, in order. */
  readonly parts: readonly StreamPart[]
  readonly approvals: readonly ApprovalRequest[]
  /** False while the turn waits for an approval. */
  readonly settled: boolean
}

const answers: ReadonlySet<string> = new Set(['response', 'clarify', 'error'])

/** The turns of a conversation as they are now, oldest first. */
function turnsOf(stream: EnvelopeStream): TrialTurn[] {
  return stream.turns.map(({ turnId, turnState = '', settled }) => {
    const parts = stream.parts.filter((part) => part.turnId === turnId && part.role === 'agent')
    const words = parts.filter(({ partType }) => answers.has(partType)).map(({ text = '' }) => text)
    const approvals = parts
      .filter(({ partType }) => partType === 'approval-request')
      .map(({ data }) => data as ApprovalRequest)
      .filter(({ approvalId }) => !stream.approvals.has(approvalId))
    return { turnId, turnState, settled, text: words.join('\n\n'), parts, approvals }
  })
}

/** True when nothing more comes of a turn by itself. */
function isAtRest({ settled, turnState, approvals }: TrialTurn): boolean {
  return settled || (turnState === 'suspended' && approvals.length > 0)
}
