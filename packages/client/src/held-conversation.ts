import type { Decided, PostResult } from '@cool-ai/beach-core/ports'
import type { StreamPart } from '@cool-ai/beach-protocol/stream'
import type { ActionMessage, ActionResult } from './action.ts'
import { connect } from './connect.ts'
import { nothingYet, type Approving, type ConnectOptions, type Conversation, type Snapshot } from './conversation.ts'
import { openSession, type OpenedSession } from './open-session.ts'
import type { OutgoingPart } from './pending-messages.ts'
import { AgentError, asAgentError } from './reliability/agent-error.ts'
import { rememberLogin, type LoginTokens } from './reliability/login.ts'
import type { RememberedSession } from './remembered-session.ts'
import { approvalsOf, type Approval, type Decision } from './view/approvals.ts'
import { exchangeFold, type Exchange } from './view/exchanges.ts'
import { OwnDecisions, type OwnApproval } from './view/own-decisions.ts'
import type { PeerNames } from './view/peers.ts'
import { isShownSurface } from './view/surface-parts.ts'

/** All that a view of a conversation needs, at one moment. What has not changed is the same object as before. */
export interface BeachSnapshot extends Omit<Snapshot, 'approvals' | 'decisions'> {
  /** What was said, oldest first: messages of the user, and of each turn the parts that it has said. */
  readonly messages: readonly Exchange[]
  /** Calls that wait, or have waited, for a decision; one without an `outcome` can be decided. */
  readonly approvals: readonly OwnApproval[]
  /** The parts that show surfaces, for `<Surface>` or a renderer of A2UI. */
  readonly surfaces: readonly StreamPart[]
  /** True while a turn goes on. */
  readonly running: boolean
  /** Absent before the first message of a new conversation. */
  readonly sessionId?: string | undefined
  /** Why there is no conversation: the agent refuses one, or cannot be reached. */
  readonly problem?: AgentError | undefined
}

export interface HeldConversationOptions extends Omit<ConnectOptions, 'sessionId'> {
  readonly sessionId?: string | undefined
  /** What other agents are called, by their ids. */
  readonly peers?: PeerNames | undefined
}

/** What there is before anything has come, and on a server. */
export const emptySnapshot: BeachSnapshot = { ...nothingYet, messages: [], approvals: [], surfaces: [], running: false }

/** One conversation for a view: it begins with the first message, unless there was one, and can be begun anew. */
export class HeldConversation {
  readonly #options: HeldConversationOptions
  readonly #remembered: RememberedSession
  readonly #listeners = new Set<() => void>()
  #conversation: Conversation | undefined
  #opening: Promise<Conversation> | undefined
  #generation = 0
  #fold = exchangeFold()
  #decisions = this.#noDecisions()
  #others = new Set<string>()
  #asked = ''
  #problem: AgentError | undefined
  #shown: BeachSnapshot = emptySnapshot

  constructor(options: HeldConversationOptions, remembered: RememberedSession) {
    this.#options = options
    this.#remembered = remembered
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): BeachSnapshot => this.#shown

  get conversation(): Conversation | undefined {
    return this.#conversation
  }

  /** Goes on with the session that was given, or that this browser had. */
  start(): void {
    const known = this.#known()
    if (known !== undefined) this.#follow(known)
    else this.#changed()
  }

  /** The session that was given, or that this browser had. */
  #known(): OpenedSession | undefined {
    const { sessionId, token } = this.#options
    return sessionId === undefined ? this.#remembered.get() : { sessionId, ...(token && { token }) }
  }

  /** Ends it here; the session goes on. */
  stop(): void {
    this.#generation++
    this.#opening = undefined
    this.#conversation?.close()
    this.#conversation = undefined
    this.#fold = exchangeFold()
    this.#decisions = this.#noDecisions()
    this.#asked = ''
  }

  /** Leaves the conversation; the next message begins another one. */
  readonly fresh = (): void => {
    this.stop()
    this.#remembered.set(undefined)
    this.#problem = undefined
    this.#changed()
  }

  readonly send = async (message: string | readonly OutgoingPart[]): Promise<PostResult> =>
    (await this.#open()).send(message)

  readonly act = async (action: ActionMessage, dataModel?: unknown): Promise<ActionResult> =>
    (await this.#open()).act(action, dataModel)

  readonly cancel = async (turnId?: string): Promise<boolean> => (await this.#conversation?.cancel(turnId)) ?? false

  readonly approve = (approvalId: string, made?: string | Approving): Promise<Decided> =>
    this.#decide(approvalId, 'granted', (conversation) => conversation.approve(approvalId, made))

  readonly deny = (approvalId: string, reason?: string): Promise<Decided> =>
    this.#decide(approvalId, 'denied', (conversation) => conversation.deny(approvalId, reason))

  async #decide(approvalId: string, mine: Decision, ask: (conversation: Conversation) => Promise<Decided>) {
    const conversation = this.#conversation
    if (conversation === undefined) throw new AgentError('INVALID_STATE', 'There is no conversation yet.')
    return this.#decisions.decide(approvalId, mine, () => ask(conversation))
  }

  #noDecisions(): OwnDecisions {
    return new OwnDecisions(() => this.#changed())
  }

  /** The conversation; the first call opens it, and those that come meanwhile wait for the same one. */
  async #open(): Promise<Conversation> {
    if (this.#conversation !== undefined) return this.#conversation
    this.#opening ??= this.#begin()
    return this.#opening
  }

  async #begin(): Promise<Conversation> {
    const generation = this.#generation
    this.#problem = undefined
    try {
      // Another view of this browser, in this page or another, may have begun one meanwhile: it is the same conversation.
      const session = this.#known() ?? (await openSession(this.#options))
      if (generation !== this.#generation) throw new AgentError('CANCELLED', 'The conversation was left meanwhile.')
      this.#remembered.set(session)
      return this.#follow(session)
    } catch (cause) {
      const error = asAgentError(cause)
      if (generation === this.#generation) {
        this.#opening = undefined
        this.#problem = error
        this.#changed()
      }
      throw error
    }
  }

  #follow({ sessionId, token = this.#options.token, refreshToken }: OpenedSession): Conversation {
    // The tokens are renewed where all pages of this browser find them.
    rememberLogin({ ...(token && { token }), ...(refreshToken && { refreshToken }) })?.keep({
      get: () => tokensOf(this.#remembered.get()),
      set: (tokens) => this.#remembered.set({ sessionId, ...tokens }),
    })
    const conversation = connect({ ...this.#options, sessionId, token })
    this.#conversation = conversation
    this.#opening = undefined
    conversation.on('change', ({ connection: { state, error } }) => {
      if (this.#conversation !== conversation) return
      const isGone = state === 'closed' && (error?.code === 'NOT_FOUND' || error?.code === 'UNAUTHENTICATED')
      // The agent does not know it any more: its data is gone, or our token is.
      if (isGone && this.#options.sessionId === undefined) this.fresh()
      else this.#changed()
    })
    this.#changed()
    return conversation
  }

  /** Finds out which open requests are for others to decide; where the agent does not say, none is. */
  #learnWhose(requested: readonly Approval[]): void {
    const conversation = this.#conversation
    const open = requested.filter(({ outcome }) => outcome === undefined).map(({ approvalId }) => approvalId)
    const asked = open.join(' ')
    if (asked === this.#asked) return
    this.#asked = asked
    if (conversation === undefined || open.length === 0) return
    conversation.ownOf(open).then(
      (own) => {
        if (conversation !== this.#conversation || asked !== this.#asked) return
        this.#others = new Set(open.filter((id) => !own.includes(id)))
        if (this.#others.size > 0) this.#changed()
      },
      () => {},
    )
  }

  #changed(): void {
    const said = this.#conversation?.snapshot ?? nothingYet
    const { approvals: _, decisions: _decisions, ...rest } = said
    const surfaces = said.parts.filter(isShownSurface)
    const requested = approvalsOf(said, this.#options.peers)
    this.#learnWhose(requested)
    const approvals = this.#decisions
      .with(requested)
      .map((approval) => (this.#others.has(approval.approvalId) ? { ...approval, isOwn: false } : approval))
    this.#shown = {
      ...rest,
      messages: this.#fold(said),
      surfaces: isSame(this.#shown.surfaces, surfaces) ? this.#shown.surfaces : surfaces,
      approvals:
        JSON.stringify(this.#shown.approvals) === JSON.stringify(approvals) ? this.#shown.approvals : approvals,
      running: said.turns.some(({ settled }) => !settled),
      sessionId: this.#conversation?.sessionId,
      problem: said.connection.state === 'closed' ? said.connection.error : this.#problem,
    }
    for (const listener of this.#listeners) listener()
  }
}

function tokensOf(session: OpenedSession | undefined): LoginTokens | undefined {
  const { token, refreshToken } = session ?? {}
  return token === undefined || refreshToken === undefined ? undefined : { token, refreshToken }
}

function isSame<Item>(before: readonly Item[], now: readonly Item[]): boolean {
  return before.length === now.length && now.every((item, index) => item === before[index])
}
