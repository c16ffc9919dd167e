import type { AgentCard } from '@a2a-js/sdk'
import { Client, JsonRpcTransportFactory, RestTransportFactory, TenantTransportDecorator } from '@a2a-js/sdk/client'
import {
  callLimits,
  defaultConsumes,
  isTerminalFor,
  peerFetch,
  plainWords,
  type CallablePeer,
  type CallResult,
} from '@cool-ai/beach-channel/peers'
import { BeachError } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import { basicCatalogIds } from '@cool-ai/beach-protocol'
import { a2uiExtensionUris, BEACH_EXTENSION_URI, type CardTransport } from '@cool-ai/beach-protocol/agent-card'
import { A2aCall, type A2aRequest } from '../client/a2a-call.ts'
import type { AgentCallerOptions, CallAgentOptions } from './agent-caller.ts'
import type { CallDeadline } from './call-deadline.ts'

type How = CallAgentOptions & { readonly deadline: CallDeadline }

/** Calls a peer in the best way that it offers: A2A, else MCP. */
export async function reachPeer(
  options: AgentCallerOptions,
  peer: CallablePeer,
  request: A2aRequest,
  how: How,
): Promise<CallResult> {
  const transport = chooseA2a(peer.transports)
  if (transport !== undefined) return byA2a(options, peer, transport, request, how)
  const mcp = peer.transports.find(({ protocol }) => protocol === 'mcp')
  const refusal = (message: string) => new BeachError('INVALID_CONFIGURATION', message, { details: { peer: peer.id } })
  if (mcp === undefined) throw refusal(noWayTo(peer))
  if (!('message' in request)) {
    throw refusal(`The agent '${peer.id}' speaks MCP, where there are no tasks to go on with.`)
  }
  if (options.mcp === undefined) {
    const advice = 'give `mcp: mcpCaller` of @cool-ai/beach-mcp/peers to agentCaller().'
    throw refusal(`The agent '${peer.id}' speaks MCP only: ${advice}`)
  }
  const { deadline, onPart } = how
  return options.mcp({ ...request.message, peer, transport: mcp, signal: deadline.signal, onPart }, options)
}

async function byA2a(
  options: AgentCallerOptions,
  peer: CallablePeer,
  transport: A2aTransport,
  request: A2aRequest,
  { deadline, onPart, onTask, onBusy }: How,
): Promise<CallResult> {
  const { runtime } = options
  const limits = withDefaults(callLimits, options.limits)
  const credentials = await options.credentials?.(peer, transport)
  const own = peerFetch({
    fetch: options.fetch,
    credentials,
    guard: peer.guard,
    bytes: limits.bytes,
    checksEvents: transport.binding === 'HTTP+JSON',
  })
  const { card } = peer.card
  const surfaces = surfaceExtension(card, options.consumes)
  const calling = new A2aCall({
    peer: peer.id,
    client: await a2aClient(transport, card, own.fetch),
    streams: card.capabilities?.streaming === true,
    dedupes: peer.card.beach !== undefined,
    isOver: (turnState) => isTerminalFor(peer.card, turnState),
    runtime,
    limits,
    signal: deadline.signal,
    endsAt: deadline.endsAt,
    response: () => own.last,
    onBusy,
    onPart,
    onTask,
    extensions: [BEACH_EXTENSION_URI, ...surfaces],
  })
  deadline.onGivenUp({ cancel: (signal) => calling.cancel(signal), leave: () => calling.leave() })
  return calling.run(surfaces.length === 0 ? request : withCatalogs(request, surfaces, options.catalogs))
}

/** The request with the catalogs that can be shown here, which A2UI's extension has in each message. */
function withCatalogs(
  request: A2aRequest,
  extensions: readonly string[],
  supportedCatalogIds: readonly string[] = basicCatalogIds,
): A2aRequest {
  if (!('message' in request)) return request
  const { message } = request
  const versions = extensions.map((uri) => uri.slice(uri.lastIndexOf('/') + 1))
  const a2uiClientCapabilities = Object.fromEntries(versions.map((version) => [version, { supportedCatalogIds }]))
  return { message: { ...message, metadata: { a2uiClientCapabilities, ...message.metadata } } }
}

/** A2UI's extension, where the peer has it: agents may show nothing to callers that do not name it. */
function surfaceExtension({ capabilities }: AgentCard, consumes: readonly string[] = defaultConsumes): string[] {
  const declared = a2uiExtensionUris.filter((uri) => capabilities?.extensions.some((one) => one.uri === uri))
  return consumes.includes('a2ui-surface') ? declared : []
}

/** Why a peer cannot be reached; what is wrong with the ways that it names is ours to mend. */
function noWayTo({ id, transports, refused = [] }: CallablePeer): string {
  const ways = transports.map(({ protocol, version }) => `${protocol} ${version}`).join(', ') || 'none'
  const named = `The agent '${id}' offers no way to reach it that is known here, but: ${plainWords(ways, 200)}.`
  const [first] = refused
  return first === undefined
    ? named
    : `${named} Its card names ${plainWords(first.transport.endpoint, 200)}: ${first.reason}`
}

const factories = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory } as const

type A2aTransport = CardTransport & { readonly binding: keyof typeof factories }

/** The best of a peer's ways by A2A: the present version before the one before it, otherwise in the card's order. */
export function chooseA2a(transports: readonly CardTransport[]): A2aTransport | undefined {
  const usable = transports.flatMap((transport): A2aTransport[] => {
    const { protocol, binding = 'JSONRPC', version } = transport
    if (protocol !== 'a2a' || !isKnown(binding) || !/^(0\.3|1)(\.|$)/.test(version)) return []
    return [{ ...transport, binding }]
  })
  return usable.find(({ version }) => version.startsWith('1')) ?? usable[0]
}

async function a2aClient(transport: A2aTransport, card: AgentCard, fetchImpl: typeof fetch): Promise<Client> {
  const { endpoint: url, binding: protocolBinding, version: protocolVersion, tenant = '' } = transport
  // Only the interface that was chosen: its version decides which protocol is spoken.
  const chosen = { ...card, supportedInterfaces: [{ url, protocolBinding, protocolVersion, tenant }] }
  const factory = new factories[protocolBinding]({ fetchImpl, legacyCompat: { enabled: true } })
  const made = await factory.create(url, chosen)
  return new Client(tenant === '' ? made : new TenantTransportDecorator(made, tenant), chosen)
}

function isKnown(binding: string): binding is keyof typeof factories {
  return Object.hasOwn(factories, binding)
}
