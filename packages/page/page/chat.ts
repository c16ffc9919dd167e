import {
  AgentError,
  connect,
  joinSession,
  openSession,
  type Approving,
  type Connection,
  type Conversation,
  type SessionLink,
  type Snapshot,
} from '@cool-ai/beach-client'
import type { Panel } from './extension.ts'
import {
  approvalsOf,
  type Decision,
  type Exchange,
  exchangeFold,
  isShownSurface,
  nothingYet,
  type OwnApproval,
  OwnDecisions,
  type PeerNames,
  SurfacePlaces,
} from '@cool-ai/beach-client/view'
import type { Conversations, StoredConversation } from './scene/conversations.ts'

/** All that the page shows, at one moment. What has not changed is the same object as before. */
export interface Scene {
  readonly sessionId: string | undefined
  readonly exchanges: readonly Exchange[]
  readonly approvals: readonly OwnApproval[]
  /** The value of the panel at the side; undefined while there is none. */
  readonly panel: unknown
  /** There once there is a surface to show. */
  readonly surfaces: SurfacePlaces | undefined
  readonly connection: Connection
  /** True while a turn goes on. */
  readonly running: boolean
  /** Why there is no conversation at all. */
  readonly fault?: string | undefined
  readonly conversations: readonly StoredConversation[]
}

/** The one store of the page: it follows one conversation at a time, and does what the user wants. */
export class Chat {
  readonly #url: string
  readonly #conversations: Conversations
  readonly #peers: PeerNames
  readonly #panel: Panel | undefined
  readonly #onChange: (scene: Scene) => void
  #conversation: Conversation | undefined
  #leave: () => void = () => {}
  #exchanges = exchangeFold()
  #panelOf: (parts: Snapshot['parts']) => unknown
  #decisions = this.#noDecisions()
  #approvals: readonly OwnApproval[] = []
  #surfaces: SurfacePlaces | undefined
  #loading: Conversation | undefined
  #fault: string | undefined

  constructor(options: {
    /** The agent's address. */
    url: string
    conversations: Conversations
    peers?: PeerNames | undefined
    panel?: Panel | undefined
    onChange: (scene: Scene) => void
  }) {
    this.#url = options.url
    this.#peers = options.peers ?? {}
    this.#panel = options.panel
    this.#panelOf = this.#newPanel()
    this.#conversations = options.conversations
    this.#onChange = options.onChange
  }

  /** Goes on with the conversation that this browser had last. */
  async start(): Promise<void> {
    const known = this.#conversations.current
    if (known === undefined) await this.#open(() => openSession({ url: this.#url }))
    else this.#follow(known)
  }

  /** Goes on with the conversation that a one-time link leads to, in the place of all that this browser had. */
  async join(code: string): Promise<void> {
    await this.#open(async () => {
      const joined = await joinSession({ code, url: this.#url })
      for (const { sessionId } of this.#conversations.list()) this.#conversations.forget(sessionId)
      return joined
    })
  }

  /** Begins a new conversation, unless this one has not begun yet. */
  async fresh(): Promise<void> {
    const { parts = [], pending = [] } = this.#conversation?.snapshot ?? {}
    if (this.#fault === undefined && this.#conversation !== undefined && parts.length + pending.length === 0) return
    await this.#open(() => openSession({ url: this.#url }))
  }

  select(sessionId: string): void {
    if (sessionId !== this.#conversation?.sessionId) this.#follow(sessionId)
  }

  /** Takes a conversation from the list of this browser. */
  forget(sessionId: string): void {
    this.#conversations.forget(sessionId)
    if (sessionId === this.#conversation?.sessionId) void this.#open(() => openSession({ url: this.#url }))
    else this.#changed()
  }

  send(text: string): void {
    const said = text.trim()
    if (said === '' || this.#conversation === undefined) return
    this.#conversations.use(this.#conversation.sessionId, said, Date.now())
    // What failed stays in sight with its reason, so the result is not awaited here.
    this.#conversation.send(said).catch(() => {})
  }

  /** Another tab has changed what this browser remembers. */
  refresh(): void {
    this.#changed()
  }

  /** Says the last message once more. */
  sayAgain(): void {
    const last = this.#conversation?.snapshot.parts.findLast(({ role, text }) => role === 'user' && text !== undefined)
    if (last?.text !== undefined) this.send(last.text)
  }

  /** Stops whatever runs. */
  stop(): void {
    const running = this.#conversation?.snapshot.turns.filter((turn) => !turn.settled) ?? []
    // A refusal means that there is nothing left to stop.
    for (const { turnId } of running) this.#conversation?.cancel(turnId).catch(() => {})
  }

  async decide(approvalId: string, decision: Decision, made: Approving = {}): Promise<void> {
    const conversation = this.#conversation
    if (conversation === undefined || this.#decisions.isMade(approvalId)) return
    const send = () =>
      decision === 'granted' ? conversation.approve(approvalId, made) : conversation.deny(approvalId, made.reason)
    // What failed stays in sight with its reason.
    await this.#decisions.decide(approvalId, decision, send).catch(() => {})
  }

  /** A one-time link for another device. */
  async link(): Promise<SessionLink> {
    if (this.#conversation === undefined) throw new Error('There is no conversation yet.')
    return this.#conversation.link()
  }

  /** Tries at once to connect again. */
  reconnect(): void {
    // The client waits for better times; the user says that they have come, as the browser does when a network is back.
    dispatchEvent(new Event('online'))
  }

  async #open(ask: () => Promise<{ readonly sessionId: string }>): Promise<void> {
    this.#end()
    this.#fault = undefined
    this.#changed()
    try {
      const { sessionId } = await ask()
      this.#follow(sessionId)
    } catch (error) {
      this.#fault = error instanceof AgentError ? error.message : 'The agent cannot be reached.'
      this.#changed()
    }
  }

  #follow(sessionId: string): void {
    this.#end()
    this.#fault = undefined
    this.#conversations.current = sessionId
    const conversation = connect({ sessionId, url: this.#url })
    this.#conversation = conversation
    this.#leave = conversation.on('change', ({ connection }) => {
      // The agent does not know the session, or not as ours: its data is gone, or the cookie is.
      if (connection.state === 'closed' && connection.error?.code === 'NOT_FOUND') this.forget(sessionId)
      else this.#changed()
    })
    this.#changed()
  }

  #end(): void {
    this.#leave()
    this.#conversation?.close()
    this.#conversation = undefined
    this.#exchanges = exchangeFold()
    this.#panelOf = this.#newPanel()
    this.#decisions = this.#noDecisions()
    this.#surfaces?.dispose()
    this.#surfaces = undefined
  }

  #newPanel(): (parts: Snapshot['parts']) => unknown {
    return this.#panel?.fold() ?? (() => undefined)
  }

  #noDecisions(): OwnDecisions {
    return new OwnDecisions(() => this.#changed())
  }

  #changed(): void {
    const snapshot = this.#conversation?.snapshot ?? nothingYet
    const exchanges = this.#exchanges(snapshot)
    this.#remember(exchanges)
    this.#showSurfaces(snapshot)
    this.#approvals = kept(this.#approvals, this.#decisions.with(approvalsOf(snapshot, this.#peers)))
    this.#onChange({
      sessionId: this.#conversation?.sessionId,
      exchanges,
      approvals: this.#approvals,
      panel: this.#panelOf(snapshot.parts),
      surfaces: this.#surfaces,
      connection: this.#fault === undefined ? snapshot.connection : { state: 'closed' },
      running: snapshot.turns.some((turn) => !turn.settled),
      fault: this.#fault,
      conversations: this.#conversations.list(),
    })
  }

  /** Lists a conversation from its first message on. */
  #remember(exchanges: readonly Exchange[]): void {
    const sessionId = this.#conversation?.sessionId
    const first = exchanges.find((exchange) => exchange.kind === 'message')
    if (sessionId === undefined || first === undefined) return
    if (this.#conversations.list().some((one) => one.sessionId === sessionId)) return
    this.#conversations.use(sessionId, first.text === '' ? 'Conversation' : first.text, Date.now())
  }

  /** Shows surfaces. What that takes is loaded when there is the first one. */
  #showSurfaces({ parts }: Snapshot): void {
    const conversation = this.#conversation
    const surfaces = parts.filter(isShownSurface)
    if (surfaces.length === 0 || conversation === undefined) return
    this.#surfaces?.take(surfaces)
    if (this.#loading === conversation) return
    this.#loading = conversation
    void import('@cool-ai/beach-a2ui/renderer').then(({ createA2uiRenderer }) => {
      if (this.#conversation !== conversation) return
      this.#surfaces = new SurfacePlaces(createA2uiRenderer, conversation.act)
      this.#changed()
    })
  }
}

function kept<Value>(before: Value, now: Value): Value {
  return JSON.stringify(before) === JSON.stringify(now) ? before : now
}
