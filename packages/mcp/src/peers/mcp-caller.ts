import { retryAfterMs } from '@cool-ai/beach-channel/guarded-fetch'
import {
  callLimits,
  fromMessageMetadata,
  isTerminalFor,
  peerFailure,
  peerFetch,
  plainWords,
  type CallResult,
  type McpCall,
  type McpCaller,
  type PeerCallOptions,
  type PeerResponse,
} from '@cool-ai/beach-channel/peers'
import { BeachError, beachVersion, isBeachError, type Part } from '@cool-ai/beach-core'
import { runningActivity } from '@cool-ai/beach-core/ports'
import { defined, raceAbort, withDefaults } from '@cool-ai/beach-core/runtime'
import { a2uiActionOf, actionSentence, approvalAnswerSchema } from '@cool-ai/beach-protocol'
import {
  Client,
  ProtocolError,
  SdkError,
  StreamableHTTPClientTransport,
  type Progress,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { lost, wasNotSent } from '../client/call-failure.ts'
import { reconnectionOn } from '../client/server-address.ts'
import { schemaValidator } from '../client/schema-validator.ts'
import { cardKey, consumesKey, dataModelKey, hopsKey } from '../server/request-meta.ts'
import { mcpAnswer } from './mcp-answer.ts'

// The call has a deadline of its own, which knows the peer's budget.
const maxTimeoutMs = 2_147_483_647
const maxProgress = 200
// An answer that is taken up again every few seconds for an hour needs this many.
const maxRequests = 1_000

/** Calls peers that speak MCP only, by the tool that their card names for conversations. */
export const mcpCaller: McpCaller = async (call, options) => {
  const { peer, signal } = call
  const { transport, last, tooMany } = await connectionTo(call, options)
  const ends = AbortSignal.any([signal, ...(tooMany === undefined ? [] : [tooMany])])
  const client = new Client(
    { name: options.agent.id, version: beachVersion },
    { versionNegotiation: { mode: 'auto' }, capabilities: {}, jsonSchemaValidator: schemaValidator },
  )
  let isConnected = false
  try {
    await raceAbort(client.connect(transport, { signal: ends, timeout: maxTimeoutMs }), ends)
    isConnected = true
    return await converse(client, { ...call, signal: ends }, options)
  } catch (error) {
    signal.throwIfAborted()
    const response = last()
    const wait = retryAfterMs(response?.retryAfter, options.runtime.clock.now())
    const head = response && { status: response.status, retryAfterMs: wait }
    throw peerFailure(causeOf(error, isConnected), peer.id, head, reasonOf(error))
  } finally {
    void client.close().catch(() => {})
  }
}

async function converse(client: Client, call: McpCall, options: PeerCallOptions): Promise<CallResult> {
  const { peer, transport, metadata, signal, onPart } = call
  const { hops, consumes, card } = fromMessageMetadata(metadata)
  const tool = toolOf(call)
  const limits = withDefaults(callLimits, options.limits)
  let reply: Promise<void> = Promise.resolve()
  let count = 0
  const onprogress = ({ message }: Progress) => {
    const text = plainWords(message ?? '', 2_000)
    const index = count++
    if (text === '' || index >= maxProgress) return
    const part: Part = { text, metadata: { partType: 'thinking', origin: { peer: peer.id } } }
    reply = reply.then(() => onPart?.({ partId: `progress.${index}`, part, isOpen: false }))
    reply.catch(() => {})
  }
  const asked = client.callTool(
    {
      ...argumentsOf(call, tool),
      _meta: defined({
        [hopsKey]: [...hops],
        [consumesKey]: consumes && [...consumes],
        [cardKey]: card,
        [dataModelKey]: call.parts[0]?.metadata.a2uiClientDataModel,
        traceparent: runningActivity()?.traceparent,
      }),
    },
    { signal, timeout: maxTimeoutMs, onprogress },
  )
  const isOver = (turnState: string) => isTerminalFor(peer.card, turnState)
  const result = mcpAnswer(peer.id, await raceAbort(asked, signal), limits, isOver)
  await reply
  const { contextId } = result
  for (const [index, part] of result.parts.entries()) {
    await onPart?.({ partId: `${transport.tool ?? tool}.${index}`, part, isOpen: false, ...defined({ contextId }) })
  }
  return result
}

/** What went wrong on the way stands inside the SDK's error. */
function causeOf(error: unknown, isConnected: boolean): unknown {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    if (isBeachError(inner)) return inner
  }
  const isLost = (error instanceof SdkError && lost.has(error.code)) || (error instanceof Error && 'errno' in error)
  if (!isLost) return error
  // A connection that was there and broke may have carried what was said.
  const details = isConnected && !wasNotSent(error) ? { outcome: 'unknown' } : {}
  const message = 'The connection to the peer could not be made, or has broken.'
  return new BeachError('UNREACHABLE', message, { cause: error, details })
}

/** What an error of JSON-RPC is called; its message is the peer's own words. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof ProtocolError)) return undefined
  const known: Readonly<Record<number, string>> = { [-32601]: 'METHOD_NOT_FOUND', [-32602]: 'INVALID_PARAMS' }
  return known[error.code] ?? 'INTERNAL_ERROR'
}

function toolOf({ peer, transport }: McpCall): string {
  if (transport.tool !== undefined) return transport.tool
  const message = `The agent '${peer.id}' speaks MCP, but its card does not say by which tool one talks to it.`
  throw new BeachError('INVALID_CONFIGURATION', message, { details: { peer: peer.id } })
}

/** The arguments of the conversational tool; a decision goes to the tool next to it that takes decisions. */
function argumentsOf({ parts, contextId: conversationId }: McpCall, tool: string) {
  const decision = parts.flatMap(({ data, metadata }) =>
    metadata.partType === 'approval-response' ? (approvalAnswerSchema.safeParse(data).data ?? []) : [],
  )[0]
  if (decision !== undefined) {
    const { approvalId, decision: made, reason } = decision
    return { name: `${tool}_resume`, arguments: { conversationId, approvalId, decision: made, reason } }
  }
  const [action] = parts.flatMap((part) => a2uiActionOf(part) ?? [])
  if (action !== undefined) {
    const message = actionSentence(action, undefined, 'The user')
    return { name: tool, arguments: { message, conversationId, action } }
  }
  const words = parts.map(({ text, data }) => text ?? JSON.stringify(data))
  return { name: tool, arguments: { message: words.join('\n\n'), conversationId } }
}

interface PeerConnection {
  readonly transport: Transport
  readonly last: () => PeerResponse | undefined
  /** Ends the call of a peer that causes more requests than a call needs. */
  readonly tooMany?: AbortSignal
}

async function connectionTo({ peer, transport }: McpCall, options: PeerCallOptions): Promise<PeerConnection> {
  const { endpoint } = transport
  const command = /^stdio:\/\/(.+)$/.exec(endpoint)?.[1]
  if (command !== undefined) return { transport: startedHere(peer.id, transport, command), last: () => undefined }
  const own = peerFetch({
    fetch: options.fetch,
    credentials: await options.credentials?.(peer, transport),
    guard: peer.guard,
    bytes: withDefaults(callLimits, options.limits).bytes,
  })
  const { fetch, tooMany } = countedFetch(own.fetch, maxRequests)
  const reconnectionScheduler = reconnectionOn(options.runtime.clock)
  const remote = new StreamableHTTPClientTransport(new URL(endpoint), { fetch, reconnectionScheduler })
  return { transport: remote, last: () => own.last, tooMany }
}

/** A command is only ever run because the local configuration names it; a card cannot make one run. */
function startedHere(peer: string, transport: McpCall['transport'], line: string): Transport {
  const isLocal = 'source' in transport && transport.source === 'local'
  if (!isLocal) {
    const message = `The agent '${peer}' would be started by a command of its card. List the command locally if you mean it.`
    throw new BeachError('INVALID_CONFIGURATION', message, { details: { peer } })
  }
  const [command = '', ...args] = line.split(/\s+/)
  return new StdioClientTransport({ command, args, stderr: 'ignore', maxBufferSize: callLimits.bytes })
}

/** A `fetch` for so many requests, and what aborts at one more: a server can have its client make any number. */
function countedFetch(fetch: typeof globalThis.fetch, max: number) {
  const tooMany = new AbortController()
  let count = 0
  const counted: typeof globalThis.fetch = async (input, init) => {
    if (++count > max) {
      tooMany.abort(new BeachError('PEER_PROTOCOL', `The peer has caused more than ${max} requests.`))
    }
    if (tooMany.signal.aborted) throw tooMany.signal.reason
    return fetch(input, init)
  }
  return { fetch: counted, tooMany: tooMany.signal }
}
