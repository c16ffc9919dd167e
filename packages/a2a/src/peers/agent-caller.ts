import {
  defaultConsumes,
  toMessageMetadata,
  type CallablePeer,
  type CallResult,
  type CallTask,
  type McpCaller,
  type PeerCallOptions,
  type PeerPart,
  type Peers,
} from '@cool-ai/beach-channel/peers'
import { BeachError, isBeachError, type AuthoredPart } from '@cool-ai/beach-core'
import { raceAbort } from '@cool-ai/beach-core/runtime'
import { toWirePart } from '@cool-ai/beach-protocol'
import type { A2aRequest } from '../client/a2a-call.ts'
import { CallDeadline } from './call-deadline.ts'
import { CapabilityCheck, capabilityOf, type SchemaProblems } from './capability-check.ts'
import { reachPeer } from './reach-peer.ts'

/** What calls of peers need. */
export interface AgentCallerOptions extends PeerCallOptions {
  readonly peers: Peers
  /**
   * The part types that are understood here, and go out with every call: `envelope.consumes` of this agent's own card, so
   * that peers are told the same in both places. All that a model or a person can make use of, when left out.
   */
  readonly consumes?: readonly string[] | undefined
  /** The ids of the A2UI catalogs whose surfaces can be shown here; those of the Basic Catalog, when left out. */
  readonly catalogs?: readonly string[] | undefined
  /** Calls peers that speak MCP only: `mcpCaller` of `@cool-ai/beach-mcp/peers`. */
  readonly mcp?: McpCaller | undefined
  /** Checks data by the schemas of capabilities, instead of the check that is built in. */
  readonly schemaProblems?: SchemaProblems | undefined
  /** Whether schemas that a card only refers to are fetched, where the peers' registry can; they are not, when left out. */
  readonly resolveSchemas?: boolean | undefined
}

/** How one call is made. */
export interface CallAgentOptions {
  readonly signal?: AbortSignal | undefined
  /** How many milliseconds the peer may take; its turn budget, else five minutes, when left out. */
  readonly timeout?: number | undefined
  /** Is told of each part as it arrives; the call waits for it. */
  readonly onPart?: ((part: PeerPart) => void | Promise<void>) | undefined
  /** Is told of the peer's task as soon as it has one. */
  readonly onTask?: ((task: CallTask) => void | Promise<void>) | undefined
  /** Is told when the peer takes no request right now, and after how many milliseconds it is asked again. */
  readonly onBusy?: ((ms: number) => void | Promise<void>) | undefined
  /** The same for the same message, so that it can be sent again; a new one when left out. */
  readonly messageId?: string | undefined
  /** The conversation to go on with, and the task in it that waits for this message. */
  readonly contextId?: string | undefined
  readonly taskId?: string | undefined
  /** The capability that is asked for; its schemas are checked. */
  readonly capability?: string | undefined
  /** The agents that the request has come through, this one last. */
  readonly hops?: readonly string[] | undefined
  /** Further metadata of the message; the keys of the Beach extension are set by the caller itself. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** Whether the peer's work is to end when the signal aborts for this reason; it is, when left out. */
  readonly endsWith?: ((reason: unknown) => boolean) | undefined
}

/** Says something to a peer and waits until it has answered, asks something, or waits for an approval. */
export type CallAgent = (id: string, parts: readonly AuthoredPart[], options?: CallAgentOptions) => Promise<CallResult>

/** Goes on with a call that was made before: with what its task has come to, and what follows. */
export type ResumeCall = (
  id: string,
  task: CallTask,
  options?: Omit<CallAgentOptions, 'messageId' | 'contextId' | 'taskId' | 'hops' | 'metadata'>,
) => Promise<CallResult>

/** Calls other agents by what their Agent Cards say. */
export interface AgentCaller {
  readonly callAgent: CallAgent
  readonly resumeCall: ResumeCall
}

/** Makes the functions that call peers. */
export function agentCaller(options: AgentCallerOptions): AgentCaller {
  const { agent, runtime } = options
  const consumes = options.consumes ?? defaultConsumes
  return {
    callAgent(id, authored, how = {}) {
      const { capability, contextId, taskId, hops = [agent.id] } = how
      if (!Array.isArray(authored) || authored.length === 0) return Promise.reject(noParts())
      const parts = authored.map((part) => toWirePart(part))
      const metadata = { ...how.metadata, ...toMessageMetadata({ hops, consumes, card: agent.card, capability }) }
      const messageId = how.messageId ?? runtime.id('msg')
      return call(options, id, { message: { messageId, parts, metadata, contextId, taskId } }, how)
    },
    resumeCall: (id, task, how = {}) => call(options, id, { task }, how),
  }
}

function noParts(): BeachError {
  const message =
    "A peer is told something in parts: give a list of at least one, such as [{ partType: 'message', text }]."
  return new BeachError('BAD_REQUEST', message)
}

async function call(
  options: AgentCallerOptions,
  id: string,
  request: A2aRequest,
  how: CallAgentOptions,
): Promise<CallResult> {
  // The card is read within the call's time too.
  const deadline = new CallDeadline(options.runtime, id, how)
  try {
    return await callByCard(options, id, request, { ...how, deadline })
  } catch (error) {
    throw deadline.errorOf(error)
  } finally {
    deadline.end()
  }
}

type How = CallAgentOptions & { readonly deadline: CallDeadline }

async function callByCard(options: AgentCallerOptions, id: string, request: A2aRequest, how: How): Promise<CallResult> {
  const { signal } = how.deadline
  const peer = await peerOf(options.peers, id, signal)
  how.deadline.reached(peer)
  try {
    return await callPeer(options, peer, request, how)
  } catch (error) {
    const other = wasTurnedAway(error) ? await changedPeer(options.peers, peer, signal) : undefined
    if (other === undefined) throw error
    how.deadline.reached(other)
    return callPeer(options, other, request, how)
  }
}

async function callPeer(
  options: AgentCallerOptions,
  peer: CallablePeer,
  request: A2aRequest,
  how: How,
): Promise<CallResult> {
  const { capability, deadline } = how
  if (capability === undefined) return reachPeer(options, peer, request, how)
  const check = new CapabilityCheck({ ...options, logger: options.runtime.logger })
  const { outputSchema } = capabilityOf(peer, capability)
  if ('message' in request) await check.request(peer, capability, request.message.parts, deadline.signal)
  const held = outputSchema === undefined ? undefined : new BufferedPeerData(how.onPart)
  const onPart = held === undefined ? how.onPart : (part: PeerPart) => held.take(part)
  const result = await reachPeer(options, peer, request, { ...how, onPart })
  if (result.state === 'complete') await check.answer(peer, capability, result.parts, deadline.signal)
  await held?.give()
  return result
}

/** What peers answer who have not acted on a request, and whose card may say by now how they want to be asked. */
const turnedAway: ReadonlySet<unknown> = new Set([401, 403, 404, 405, 410])

function wasTurnedAway(error: unknown): boolean {
  return isBeachError(error) && turnedAway.has(error.details.status)
}

/** The peer by a card that was read just now, if that says another way to reach it. */
async function changedPeer(peers: Peers, before: CallablePeer, signal: AbortSignal): Promise<CallablePeer | undefined> {
  try {
    const now = await current(peers, before.id, { force: true, signal })
    const isSame = JSON.stringify(now?.transports) === JSON.stringify(before.transports)
    return isSame ? undefined : now
  } catch {
    return undefined
  }
}

async function peerOf(peers: Peers, id: string, signal: AbortSignal): Promise<CallablePeer> {
  const unknown = () => {
    const known = peers.ids().join(', ') || 'none'
    return new BeachError('UNKNOWN_PEER', `There is no agent '${id}' here. There are: ${known}.`, {
      details: { peer: id },
    })
  }
  if (peers.byId(id) === undefined && !peers.ids().includes(id) && peers.current === undefined) throw unknown()
  const peer = (await current(peers, id, { signal })) ?? peers.byId(id)
  if (peer === undefined) throw unknown()
  return peer
}

/** The peer with a fresh card, if there is a registry that reads it; not waited for longer than the signal allows. */
async function current(
  peers: Peers,
  id: string,
  how: { readonly signal: AbortSignal; readonly force?: boolean },
): Promise<CallablePeer | undefined> {
  return peers.current === undefined ? undefined : raceAbort(peers.current(id, how), how.signal)
}

/**
 * A peer's data, held until all of it has been checked by the schema that the peer's card has for it. Its words are told
 * as they come.
 */
class BufferedPeerData {
  readonly #onPart: ((part: PeerPart) => void | Promise<void>) | undefined
  readonly #held = new Map<string, PeerPart>()

  constructor(onPart: ((part: PeerPart) => void | Promise<void>) | undefined) {
    this.#onPart = onPart
  }

  async take(part: PeerPart): Promise<void> {
    if (part.part.metadata.partType !== 'domain-data') return this.#onPart?.(part)
    // The last update of a part is the one that counts.
    this.#held.delete(part.partId)
    if (part.isRetracted !== true) this.#held.set(part.partId, part)
  }

  async give(): Promise<void> {
    for (const part of this.#held.values()) await this.#onPart?.(part)
    this.#held.clear()
  }
}
