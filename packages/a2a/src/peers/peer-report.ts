import { type CallablePeer, type CallResult, type PeerPart } from '@cool-ai/beach-channel/peers'
import { isBeachError, type AuthoredPart, type Runtime, type ToolContext } from '@cool-ai/beach-core'
import type { PartOrigin } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { toWirePart } from '@cool-ai/beach-protocol'
import { digest, toConversationId } from './conversation-id.ts'
import { LivePeerText } from './live-peer-text.ts'
import { peerAnswer } from './peer-answer.ts'
import { surfaceHere } from './peer-surface.ts'
import type { PartTypeLookup, ShowPart } from './shown-part.ts'

/** What a report needs. */
export interface PeerReportContext {
  readonly runtime: Runtime
  readonly show: ShowPart
  /** False when peers' surfaces are not passed on. */
  readonly surfaces?: boolean | undefined
  readonly partTypes?: PartTypeLookup | undefined
}

const ends: Readonly<Record<CallResult['state'], string>> = {
  complete: 'has answered',
  clarifying: 'asks something',
  suspended: 'waits',
  error: 'could not do it',
  cancelled: 'has stopped',
  refused: 'does not do this',
  unauthorized: 'does not let us in',
  unfinished: 'has not finished',
}

// Each part that is shown is a step of the turn.
const maxShown = 200

/** Reports to listeners while a peer has the turn: the peer's parts, and the progress of the request. */
export class PeerReport {
  /** What people know the peer by, as far as its card is known. */
  name: string
  readonly #context: PeerReportContext
  readonly #id: string
  readonly #tool: ToolContext
  readonly #growing: LivePeerText
  /** The slots of the peer's data so far, as the peer names them. */
  readonly #slots = new Set<string>()
  #shown = 0
  #busy = 0

  constructor(context: PeerReportContext, id: string, name: string, tool: ToolContext) {
    this.#context = context
    this.#id = id
    this.name = name
    this.#tool = tool
    this.#growing = new LivePeerText(tool.live)
  }

  /** A part of the peer's: its words are seen while they grow, and said when they are whole. */
  async show(peer: CallablePeer, { partId, part, isOpen, isRetracted, contextId }: PeerPart): Promise<void> {
    const name = `part.${digest(partId)}`
    if (isRetracted === true) return this.#growing.takeBack(name)
    if (this.#shown >= maxShown) return
    if (typeof part.metadata.slotKey === 'string') this.#slots.add(part.metadata.slotKey)
    const { show, partTypes } = this.#context
    const given = show(part, peer, this.#slots, partTypes)
    const shown = given && this.#placed(given, contextId)
    if (isOpen) return this.#growing.show(name, shown)
    if (shown === undefined) return this.#growing.takeBack(name)
    this.#shown++
    this.#growing.said(name)
    await this.#say(shown, 'delegated', `${name}.${digest(JSON.stringify(shown))}`)
  }

  /** A surface gets ids of its own and the conversation that actions on it go back to; other parts are unchanged. */
  #placed(part: AuthoredPart, contextId: string | undefined): AuthoredPart | undefined {
    const { metadata, data: given } = toWirePart(part)
    if (metadata.partType !== 'a2ui-surface') return part
    if (this.#context.surfaces === false) return undefined
    const data = surfaceHere(given, { peer: this.#id, name: this.name, contextId })
    const origin = { ...(metadata.origin as object), ...this.#origin }
    const conversationId = this.#conversationOf({ contextId })
    return data && { data, metadata: { ...metadata, origin: { ...origin, ...defined({ conversationId }) } } }
  }

  /** An answer is remembered with its conversation, so that one can go on with it in a later turn. */
  async answered(result: CallResult): Promise<void> {
    const conversationId = this.conversationId(result)
    const { question, options } = peerAnswer(result, undefined)
    const origin = defined({ ...this.#origin, taskId: result.taskId })
    const metadata = defined({ origin, conversationId, options })
    const answered = { partType: 'thinking', text: `${this.name} ${ends[result.state]}.`, metadata }
    if (question === undefined) return this.#say(answered, 'awaiting', 'answered')
    return this.#say({ partType: 'clarify', text: question, metadata }, 'awaiting', 'asks')
  }

  conversationId({ state, taskId, contextId }: CallResult): string | undefined {
    const waits = state === 'clarifying' || state === 'unauthorized'
    return this.#conversationOf({ contextId, taskId: waits ? taskId : undefined })
  }

  #conversationOf({ contextId, taskId }: { contextId?: string | undefined; taskId?: string | undefined }) {
    if (contextId === undefined || contextId === '') return undefined
    return toConversationId(this.#tool.session.sessionId, this.#id, { contextId, taskId })
  }

  async failed(error: unknown): Promise<void> {
    if (!isBeachError(error) || this.#tool.signal.aborted || error.code === 'CANCELLED') return
    if (error.code === 'TURN_CLOSED' || error.code === 'LEASE_LOST') return
    const { code, message, details } = error
    const { conversationId } = details
    const known = typeof conversationId === 'string' && { conversationId }
    const metadata = { origin: this.#origin, code, ...known }
    await this.#say({ partType: 'thinking', text: message, metadata }, 'awaiting', 'failed')
  }

  async thought(text: string, place: string): Promise<void> {
    await this.#say({ partType: 'thinking', text, metadata: { origin: this.#origin } }, 'awaiting', place)
  }

  async waits(ms: number): Promise<void> {
    await this.goesOn(`${this.name} is busy, and is asked again in ${Math.ceil(ms / 1_000)} s`, `busy.${this.#busy++}`)
  }

  /** Reports progress of the request under the peer's name. */
  async goesOn(label: string, place: string): Promise<void> {
    const metadata = { origin: this.#origin }
    await this.#say({ partType: 'progress', data: { label }, metadata }, 'delegated', place)
  }

  get #origin(): PartOrigin {
    return { peer: this.#id, name: this.name }
  }

  /** A part of a peer that cannot be shown here costs nothing but itself. */
  async #say(part: AuthoredPart, turnState: 'awaiting' | 'delegated', place: string): Promise<void> {
    try {
      await this.#tool.emit([part], turnState, place)
    } catch (error) {
      if (!isBeachError(error, 'INVALID_PART')) throw error
      const { logger } = this.#context.runtime
      logger.log('info', 'a part of a peer was not shown', { peer: this.#id, error })
    }
  }
}
