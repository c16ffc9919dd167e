import { hopsTo, plainWords, type CallablePeer, type CallResult, type Peers } from '@cool-ai/beach-channel/peers'
import { BeachError, isBeachError, type AuthoredPart, type Part, type ToolContext } from '@cool-ai/beach-core'
import type { PeerAction } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { ApprovalResponse } from '@cool-ai/beach-protocol'
import * as z from 'zod'
import type { AgentCaller, CallAgentOptions } from './agent-caller.ts'
import { digest, fromConversationId, toConversationId, type PeerConversation } from './conversation-id.ts'
import { peerAnswer, type PeerAnswer } from './peer-answer.ts'
import { PeerApprovals } from './peer-approvals.ts'
import { PeerReport, type PeerReportContext } from './peer-report.ts'
import { actionThere, foreignAction } from './peer-surface.ts'
import { chooseA2a } from './reach-peer.ts'
import { nameOf } from './shown-part.ts'

/** What asking a peer needs. */
export interface PeerToolContext extends PeerReportContext {
  readonly caller: AgentCaller
  readonly peers: Peers
  /** What peers are called before their cards are here, by id. */
  readonly names?: ReadonlyMap<string, string> | undefined
  /** This agent's own id, for the chain of agents. */
  readonly agentId: string
  readonly maxHops: number
}

/** What a model says to ask a peer. */
const askSchema = z.object({
  message: z.string().min(1).max(20_000),
  conversationId: z.string().max(4_000).exactOptional(),
  data: z.record(z.string(), z.unknown()).exactOptional(),
  capability: z.string().max(200).exactOptional(),
})

const maxRounds = 20

/** A message to a peer, and the conversation that it goes to. */
interface Saying {
  readonly parts: readonly Part[]
  /** The conversation to continue; empty for a new one. */
  readonly place: Partial<PeerConversation>
  readonly capability?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** One run of a tool call that talks to a peer. */
export class PeerTool {
  readonly #peerContext: PeerToolContext
  readonly #id: string
  readonly #context: ToolContext
  readonly #approvals: PeerApprovals
  readonly #report: PeerReport

  constructor(peerContext: PeerToolContext, id: string, context: ToolContext) {
    const known = peerContext.peers.byId(id)
    this.#peerContext = peerContext
    this.#id = id
    this.#context = context
    this.#approvals = new PeerApprovals(id, context)
    this.#report = new PeerReport(
      peerContext,
      id,
      known === undefined ? plainWords(peerContext.names?.get(id) ?? id, 80) : nameOf(known),
      context,
    )
  }

  /** Asks the peer something. */
  async run(input: unknown): Promise<PeerAnswer> {
    const ask = askSchema.safeParse(input)
    if (!ask.success) throw new BeachError('BAD_REQUEST', 'Asking an agent needs a `message`.', { cause: ask.error })
    const { message, conversationId, data, capability } = ask.data
    return this.#talk(`Asking ${this.#report.name}`, (peer) => {
      const parts: Part[] = [{ text: message, metadata: { partType: 'message' } }]
      if (data !== undefined) parts.push({ data, metadata: { partType: 'domain-data' } })
      return { parts, capability, place: this.#placeOf(conversationId) ?? this.#newPlace(peer) }
    })
  }

  /** Passes a user's action on a surface of the peer on, in the conversation that the surface belongs to. */
  async forward(action: PeerAction): Promise<PeerAnswer> {
    return this.#talk(`Passing it on to ${this.#report.name}`, (peer) => {
      const place: Partial<PeerConversation> = this.#placeOf(action.conversationId) ?? {}
      const part = actionThere(action, place.contextId)
      if (peer.card.beach !== undefined) return { parts: [part], place }
      const { part: foreign, metadata } = foreignAction(part)
      return { parts: [foreign], place, metadata }
    }).catch((error: unknown) => {
      throw isConflict(error) ? gone(this.#id, error) : error
    })
  }

  async #talk(label: string, say: (peer: CallablePeer) => Saying): Promise<PeerAnswer> {
    await this.#report.goesOn(label, 'asking')
    try {
      // The card may have come, or changed, since the tool was made; or may not be there at all.
      const peer = await presentPeer(this.#peerContext.peers, this.#id, this.#context.signal)
      this.#report.name = nameOf(peer)
      const result = await this.#converse(peer, say(peer))
      await this.#report.answered(result)
      const note = await this.#elsewhere()
      return { ...peerAnswer(result, this.#report.conversationId(result)), ...defined({ note }) }
    } catch (error) {
      const reply = this.#withConversation(error)
      await this.#report.failed(reply)
      throw reply
    }
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
    const text = `This was ${decision.decision} here, but it had been decided elsewhere before ${this.#report.name} could be told.`
    await this.#report.thought(text, 'elsewhere')
    return text
  }

  /** To an answer, or to a question that only our own side can answer. */
  async #converse(peer: CallablePeer, { parts, place, capability, metadata }: Saying): Promise<CallResult> {
    const { session, key } = this.#context
    const { caller, agentId, maxHops, runtime } = this.#peerContext
    const { id } = peer
    const hops = hopsTo(id, session, agentId, maxHops)
    await this.#approvals.decided()
    const { task } = this.#approvals
    const how = { ...this.#how(peer), capability }
    const sending = { ...how, ...place, hops, messageId: digest(key), metadata }
    let result = task === undefined ? await this.#send(parts, sending) : await caller.resumeCall(id, task, how)
    for (let round = 0; result.state === 'suspended'; round++) {
      const [request] = result.approvals
      if (request === undefined || round >= maxRounds) {
        throw new BeachError('PEER_PROTOCOL', `The agent '${id}' has asked for too many approvals.`)
      }
      const { decision, reason, args } = await this.#approvals.decision(request, this.#report.name)
      await this.#approvals.telling(request.approvalId)
      const changed = args === undefined ? '' : ', with changes'
      const label = `${this.#report.name} is told that this was ${decision}${changed}`
      await this.#report.goesOn(label, `decided.${request.approvalId}`)
      const decidedAt = new Date(runtime.clock.now()).toISOString()
      const { approvalId } = request
      const response: ApprovalResponse = defined({ approvalId, decision, decidedAt, reason })
      const { taskId, contextId } = result
      const answer: Part = { data: { ...response, ...defined({ args }) }, metadata: { partType: 'approval-response' } }
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

  #placeOf(conversationId: string | undefined): PeerConversation | undefined {
    if (conversationId === undefined) return undefined
    return fromConversationId(this.#context.session.sessionId, this.#id, conversationId)
  }

  /**
   * A Beach peer takes a message that comes twice for one only in the same context, so the context is ours to name. By
   * MCP the peer names its conversations itself.
   */
  #newPlace({ card, transports }: CallablePeer): { contextId?: string } {
    const isNamed = card.beach !== undefined && chooseA2a(transports) !== undefined
    return isNamed ? { contextId: digest(this.#context.key, 'context') } : {}
  }

  #how(peer: CallablePeer): CallAgentOptions {
    return {
      signal: this.#context.signal,
      endsWith: isForGood,
      onTask: (task) => this.#approvals.began(task),
      onPart: (part) => this.#report.show(peer, part),
      onBusy: (ms) => this.#report.waits(ms),
    }
  }
}

/** True when the peer has replaced or removed the surface that an action was on. */
function isConflict(error: unknown): boolean {
  return isBeachError(error) && error.details.status === 409
}

function gone(peer: string, cause: unknown): BeachError {
  const message = `The agent '${peer}' shows this surface otherwise by now, or not any more. Ask it for the current one.`
  return new BeachError('STALE_SURFACE', message, { cause, details: { peer } })
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
