import {
  hopsTo,
  plainWords,
  type CallablePeer,
  type CallResult,
  type PeerPart,
  type Peers,
} from '@cool-ai/beach-channel/peers'
import {
  BeachError,
  isBeachError,
  type AuthoredPart,
  type Part,
  type Runtime,
  type ToolContext,
} from '@cool-ai/beach-core'
import type { PartOrigin } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { ApprovalResponse } from '@cool-ai/beach-protocol'
import * as z from 'zod'
import type { AgentCaller, CallAgentOptions } from './agent-caller.ts'
import { digest, fromConversationId, toConversationId } from './conversation-id.ts'
import { LivePeerText } from './live-peer-text.ts'
import { peerAnswer, type PeerAnswer } from './peer-answer.ts'
import { PeerApprovals } from './peer-approvals.ts'
import { nameOf, type PartTypeLookup, type ShowPart } from './shown-part.ts'

/** What asking a peer needs. */
export interface PeerToolContext {
  readonly caller: AgentCaller
  readonly peers: Peers
  /** This agent's own id, for the chain of agents. */
  readonly agentId: string
  readonly runtime: Runtime
  readonly maxHops: number
  readonly show: ShowPart
  readonly partTypes?: PartTypeLookup | undefined
}

/** What a model says to ask a peer. */
export const askSchema = z.object({
  message: z.string().min(1).max(20_000),
  conversationId: z.string().max(4_000).exactOptional(),
  data: z.record(z.string(), z.unknown()).exactOptional(),
  capability: z.string().max(200).exactOptional(),
})

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
const maxRounds = 20

/** One run of asking a peer, as a tool. */
export class PeerTool {
  readonly #peerContext: PeerToolContext
  readonly #id: string
  readonly #context: ToolContext
  readonly #approvals: PeerApprovals
  readonly #growing: LivePeerText
  /** The slots of the peer's data so far, as the peer names them. */
  readonly #slots = new Set<string>()
  #shown = 0
  #busy = 0
  /** What people know the peer by, as far as its card is known. */
  #name: string

  constructor(peerContext: PeerToolContext, id: string, context: ToolContext) {
    const known = peerContext.peers.byId(id)
    this.#peerContext = peerContext
    this.#id = id
    this.#name = known === undefined ? plainWords(id, 80) : nameOf(known)
    this.#context = context
    this.#approvals = new PeerApprovals(id, context)
    this.#growing = new LivePeerText(context.live)
  }

  async run(input: unknown): Promise<PeerAnswer> {
    const ask = askSchema.safeParse(input)
    if (!ask.success) throw new BeachError('BAD_REQUEST', 'Asking an agent needs a `message`.', { cause: ask.error })
    await this.#goesOn(`Asking ${this.#name}`, 'asking')
    try {
      // The card may have come, or changed, since the tool was made; or may not be there at all.
      const peer = await presentPeer(this.#peerContext.peers, this.#id, this.#context.signal)
      this.#name = nameOf(peer)
      const result = await this.#converse(peer, ask.data)
      await this.#answered(result)
      const note = await this.#elsewhere()
      return { ...peerAnswer(result, this.#conversationId(result)), ...(note !== undefined && { note }) }
    } catch (error) {
      const reply = this.#withConversation(error)
      await this.#failed(reply)
      throw reply
    }
  }

  get #origin(): PartOrigin {
    return { peer: this.#id, name: this.#name }
  }

  /** A peer that has gone with something of ours can be asked about it later. */
  #withConversation(error: unknown): unknown {
    if (!isBeachError(error, 'UNREACHABLE') || typeof error.details.contextId !== 'string') return error
    const { contextId } = error.details
    const conversationId = toConversationId(this.#context.session.sessionId, this.#id, { contextId })
    const message = `${error.message} To ask what has become of it, give the conversationId "${conversationId}".`
    return new BeachError(error.code, message, { cause: error, details: { ...error.details, conversationId } })
  }

  /** Says so when what was decided here came too late. */
  async #elsewhere(): Promise<string | undefined> {
    const decision = this.#approvals.undelivered()
    if (decision === undefined) return undefined
    const text = `This was ${decision.decision} here, but it had been decided elsewhere before ${this.#name} could be told.`
    await this.#say({ partType: 'thinking', text, metadata: { origin: this.#origin } }, 'awaiting', 'elsewhere')
    return text
  }

  /** To an answer, or to a question that only our own side can answer. */
  async #converse(peer: CallablePeer, ask: z.infer<typeof askSchema>): Promise<CallResult> {
    const { message, conversationId, data, capability } = ask
    const { session, key } = this.#context
    const { caller, agentId, maxHops } = this.#peerContext
    const { id } = peer
    const hops = hopsTo(id, session, agentId, maxHops)
    await this.#approvals.decided()
    const { task } = this.#approvals
    const how = { ...this.#how(peer), capability }
    const place =
      conversationId === undefined ? this.#newPlace(peer) : fromConversationId(session.sessionId, id, conversationId)
    const parts: Part[] = [{ text: message, metadata: { partType: 'message' } }]
    if (data !== undefined) parts.push({ data, metadata: { partType: 'domain-data' } })
    const sending = { ...how, ...place, hops, messageId: digest(key) }
    let result = task === undefined ? await this.#send(parts, sending) : await caller.resumeCall(id, task, how)
    for (let round = 0; result.state === 'suspended'; round++) {
      const [request] = result.approvals
      if (request === undefined || round >= maxRounds) {
        throw new BeachError('PEER_PROTOCOL', `The agent '${id}' has asked for too many approvals.`)
      }
      const { decision, reason } = await this.#approvals.decision(request)
      await this.#approvals.telling(request.approvalId)
      await this.#goesOn(`${this.#name} is told that this was ${decision}`, `decided.${request.approvalId}`)
      const decidedAt = new Date(this.#peerContext.runtime.clock.now()).toISOString()
      const { approvalId } = request
      const response: ApprovalResponse = defined({ approvalId, decision, decidedAt, reason })
      const { taskId, contextId } = result
      const answer: Part = { data: response, metadata: { partType: 'approval-response' } }
      const messageId = digest(key, approvalId)
      result = await caller.callAgent(id, [answer], { ...how, hops, messageId, taskId, contextId })
    }
    return result
  }

  /** Says it to the task that had asked or, when that is over by now, in its conversation. */
  async #send(parts: readonly AuthoredPart[], how: CallAgentOptions): Promise<CallResult> {
    const { callAgent } = this.#peerContext.caller
    try {
      return await callAgent(this.#id, parts, how)
    } catch (error) {
      const isOver = how.taskId !== undefined && isBeachError(error, 'PEER_PROTOCOL') && isRefused(error)
      if (!isOver) throw error
      const { taskId: _, ...inConversation } = how
      return callAgent(this.#id, parts, inConversation)
    }
  }

  /** A Beach peer takes a message that comes twice for one only in the same context, so the context is ours to name. */
  #newPlace({ card }: CallablePeer): { contextId?: string } {
    return card.beach === undefined ? {} : { contextId: digest(this.#context.key, 'context') }
  }

  #how(peer: CallablePeer): CallAgentOptions {
    return {
      signal: this.#context.signal,
      endsWith: isForGood,
      onTask: (task) => this.#approvals.began(task),
      onPart: (part) => this.#show(peer, part),
      onBusy: (ms) => this.#waits(ms),
    }
  }

  async #waits(ms: number): Promise<void> {
    const label = `${this.#name} is busy, and is asked again in ${Math.ceil(ms / 1_000)} s`
    await this.#goesOn(label, `busy.${this.#busy++}`)
  }

  #conversationId({ state, taskId, contextId }: CallResult): string | undefined {
    if (contextId === undefined || contextId === '') return undefined
    const waits = state === 'clarifying' || state === 'unauthorized'
    const place = { contextId, taskId: waits ? taskId : undefined }
    return toConversationId(this.#context.session.sessionId, this.#id, place)
  }

  /** A part of the peer's: its words are seen while they grow, and said when they are whole. */
  async #show(peer: CallablePeer, { partId, part, isOpen, isRetracted }: PeerPart): Promise<void> {
    const name = `part.${digest(partId)}`
    if (isRetracted === true) return this.#growing.takeBack(name)
    if (this.#shown >= maxShown) return
    if (typeof part.metadata.slotKey === 'string') this.#slots.add(part.metadata.slotKey)
    const { show, partTypes } = this.#peerContext
    const shown = show(part, peer, this.#slots, partTypes)
    if (isOpen) return this.#growing.show(name, shown)
    if (shown === undefined) return this.#growing.takeBack(name)
    this.#shown++
    this.#growing.said(name)
    await this.#say(shown, 'delegated', `${name}.${digest(JSON.stringify(shown))}`)
  }

  /** An answer is remembered with its conversation, so that one can go on with it in a later turn. */
  async #answered(result: CallResult): Promise<void> {
    const conversationId = this.#conversationId(result)
    const { question, options } = peerAnswer(result, undefined)
    const origin = defined({ ...this.#origin, taskId: result.taskId })
    const metadata = defined({ origin, conversationId, options })
    const answered = { partType: 'thinking', text: `${this.#name} ${ends[result.state]}.`, metadata }
    if (question === undefined) return this.#say(answered, 'awaiting', 'answered')
    return this.#say({ partType: 'clarify', text: question, metadata }, 'awaiting', 'asks')
  }

  async #failed(error: unknown): Promise<void> {
    if (!isBeachError(error) || this.#context.signal.aborted || error.code === 'CANCELLED') return
    if (error.code === 'TURN_CLOSED' || error.code === 'LEASE_LOST') return
    const { code, message, details } = error
    const { conversationId } = details
    const known = typeof conversationId === 'string' && { conversationId }
    const metadata = { origin: this.#origin, code, ...known }
    await this.#say({ partType: 'thinking', text: message, metadata }, 'awaiting', 'failed')
  }

  /** What becomes of the request, under the name of the peer that it is with. */
  async #goesOn(label: string, place: string): Promise<void> {
    const metadata = { origin: this.#origin }
    await this.#say({ partType: 'progress', data: { label }, metadata }, 'delegated', place)
  }

  /** A part of a peer that cannot be shown here costs nothing but itself. */
  async #say(part: AuthoredPart, turnState: 'awaiting' | 'delegated', place: string): Promise<void> {
    try {
      await this.#context.emit([part], turnState, place)
    } catch (error) {
      if (!isBeachError(error, 'INVALID_PART')) throw error
      const { logger } = this.#peerContext.runtime
      logger.log('info', 'a part of a peer was not shown', { peer: this.#id, error })
    }
  }
}

/** What peers answer who take nothing more for a task, or know none of that name. */
function isRefused({ details }: BeachError): boolean {
  return details.reason === 'UNSUPPORTED_OPERATION' || details.reason === 'TASK_NOT_FOUND'
}

/** When only this process ends, another one goes on with the peer's task. */
function isForGood(reason: unknown): boolean {
  const why = typeof reason === 'object' && reason !== null && 'reason' in reason ? reason.reason : undefined
  return why !== 'leaseLost' && why !== 'shutdown'
}

/** The peer as it is now; one whose card was not to be had before may have one by now. */
async function presentPeer(peers: Peers, id: string, signal: AbortSignal): Promise<CallablePeer> {
  const peer = peers.byId(id) ?? (await peers.current?.(id, { signal }))
  if (peer !== undefined) return peer
  const message = `The agent '${id}' cannot be reached right now: its card is not known.`
  throw new BeachError('UNREACHABLE', message, { details: { peer: id } })
}
