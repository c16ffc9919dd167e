import {
  BeachError,
  type Authenticator,
  type Channel,
  type PartTypeRegistry,
  type Principal,
  type Runtime,
} from '@cool-ai/beach-core'
import {
  buildAgentCard,
  signAgentCard,
  wellKnownAgentCard,
  type AgentCard,
  type AgentCardInput,
  type CardSigner,
} from '@cool-ai/beach-protocol/agent-card'
import { guardedFetch, jsonResponse } from '@cool-ai/beach-transport'
import { a2aChannel, agentKey, type A2aChannelOptions, type AgentKey } from '@cool-ai/beach-transport/a2a'
import { askToolName } from '@cool-ai/beach-transport/mcp'
import { requireCapabilities, requireScopes } from '@cool-ai/beach-transport/auth'
import type { BeachOptions } from './create-beach.ts'

/** A card as its author writes it; the ways to reach the agent may be left to it. */
export type BeachCard = Omit<AgentCardInput, 'transports'> & Partial<Pick<AgentCardInput, 'transports'>>

/** How an agent is served by A2A; all of it may be left out. */
export interface A2aOptions extends Partial<Pick<A2aChannelOptions, 'fetch' | 'push' | 'gatherMs'>> {
  /** How callers authenticate, where the card does not say it; none when left out. */
  readonly auth?: AgentCardInput['transports'][number]['auth']
  /** The media types that the agent takes, such as `image/*`; text and JSON when left out. */
  readonly inputModes?: readonly string[]
  /** What more there is to know for those who have authenticated. */
  readonly extendedCard?: BeachCard
  /**
   * The agent's own key pair. With it cards are signed, and push notifications whose receivers want a bearer token and
   * give none; its public half is at `/.well-known/jwks.json`.
   */
  readonly signer?: CardSigner
}

/** The agent's card with all the ways to reach it. */
export function cardOf({ agent, card, publicUrl, a2a, mcp }: BeachOptions): AgentCardInput | undefined {
  if (card === undefined) return undefined
  const tool = mcp === false ? undefined : (mcp?.tool ?? askToolName(agent.id))
  return { ...card, transports: card.transports ?? transportsAt(publicUrl, a2a, tool) }
}

function transportsAt(
  publicUrl: string | undefined,
  options: A2aOptions | false = {},
  tool?: string,
): AgentCardInput['transports'] {
  if (options === false) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      'An agent without A2A must say in `card.transports` how it is reached.',
    )
  }
  if (publicUrl === undefined) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      'A card needs to say where the agent is. Give createBeach a publicUrl.',
    )
  }
  const address = publicUrl.replace(/\/+$/, '')
  const auth = options.auth ?? { type: 'none' }
  const bindings = [
    { endpoint: `${address}/a2a`, binding: 'JSONRPC' },
    { endpoint: `${address}/a2a/rest`, binding: 'HTTP+JSON' },
  ]
  const a2a = ['1.0', '0.3'].flatMap((version) => bindings.map((way) => ({ protocol: 'a2a', version, auth, ...way })))
  if (tool === undefined) return a2a
  return [...a2a, { protocol: 'mcp', version: 'stable', endpoint: `${address}/mcp`, transport: 'http', tool, auth }]
}

interface A2aWorld {
  readonly options: BeachOptions
  readonly card: AgentCardInput
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly tenant: string
  readonly authenticate: Authenticator
  readonly artifactLink: A2aChannelOptions['artifactLink'] | undefined
}

interface A2aParts {
  /** The card, and the public half of the agent's key. */
  readonly wellKnown: readonly Pick<Channel, 'paths' | 'fetch'>[]
  readonly channel?: Channel
  /** Lets go of the connections for push notifications. */
  readonly close?: () => Promise<void>
}

/** The place where the card stands, and the way in by A2A, which an agent may be without. */
export async function a2aOf(world: A2aWorld): Promise<A2aParts> {
  const { options, card, runtime, partTypes, tenant, authenticate, artifactLink } = world
  const { clock } = runtime
  if (options.a2a === false) return { wellKnown: [wellKnownOf(buildAgentCard(card, { clock }))] }
  const { push, gatherMs, extendedCard, inputModes, signer } = options.a2a ?? {}
  const key = signer && agentKey(signer, { issuer: options.publicUrl ?? card.id, clock })
  const guarded = options.a2a?.fetch === undefined ? guardedFetch({ clock }) : undefined
  const fetch = options.a2a?.fetch ?? guarded
  const a2a = {
    streaming: true,
    pushNotifications: true,
    extendedAgentCard: extendedCard !== undefined,
    ...(inputModes && { defaultInputModes: inputModes }),
  }
  const build = async (input: AgentCardInput) => {
    const built = buildAgentCard(input, { a2a, clock })
    return signer === undefined ? built : signAgentCard(built, signer)
  }
  const published = await build(card)
  const channel = a2aChannel({
    runtime,
    partTypes,
    card: published,
    agentId: card.id,
    authenticate: withScopes(authenticate, card),
    ...(fetch && { fetch }),
    authorise: (principal, message) => requireCapabilities(capabilitiesOf(card), message, principal),
    ...(extendedCard && { extendedCard: await build({ transports: card.transports, ...extendedCard }) }),
    ...(key && { key }),
    ...(isOpen(card) && { anonymous: stranger(tenant) }),
    // On one's own machine all who come are oneself.
    listsForAnybody: isLocal(options.publicUrl),
    ...(artifactLink && { artifactLink }),
    ...(push && { push }),
    ...(gatherMs !== undefined && { gatherMs }),
    ...(options.limits?.body && { body: options.limits.body }),
    ...(options.limits?.streamsPerPrincipal && { mostOpen: options.limits.streamsPerPrincipal }),
    ...(options.limits?.guestStreamsPerNetwork && { mostOpenOfNetwork: options.limits.guestStreamsPerNetwork }),
    ...(options.heartbeatMs !== undefined && { heartbeatMs: options.heartbeatMs }),
  })
  const wellKnown = [wellKnownOf(published), ...(key ? [keysOf(key)] : [])]
  return { channel, wellKnown, ...(guarded && { close: () => guarded.close() }) }
}

function keysOf({ jwks }: AgentKey) {
  const headers = { 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' }
  return {
    paths: ['/.well-known/jwks.json'],
    fetch: async ({ method }: Request) => {
      if (method === 'GET' || method === 'HEAD') return jsonResponse(jwks, 200, headers)
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET, HEAD' } })
    },
  }
}

function wellKnownOf(card: AgentCard) {
  const answer = wellKnownAgentCard(card)
  return {
    paths: ['/.well-known/agent-card.json'],
    fetch: async (request: Request) => answer(request) ?? new Response(null, { status: 404 }),
  }
}

function capabilitiesOf({ capabilities }: AgentCardInput) {
  return capabilities.map(({ id, requiredScopes = [] }) => ({ id, requiredScopes }))
}

function isLocal(publicUrl: string | undefined): boolean {
  return publicUrl !== undefined && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(publicUrl).hostname)
}

/** Without auth nobody can be told from anybody else: all who come so are one. */
function stranger(tenant: string): Principal {
  return { kind: 'peer', id: 'anonymous', tenant }
}

/** Only where no way in asks for a credential: what one of them asks for, the others must not give away. */
function isOpen({ transports }: AgentCardInput): boolean {
  return a2aTransports(transports).every(({ auth }) => auth === undefined || auth.type === 'none')
}

function a2aTransports(transports: AgentCardInput['transports']) {
  return transports.filter(({ protocol }) => protocol === 'a2a')
}

/** Whoever comes needs the scopes that the card's transports ask of everybody. */
function withScopes(authenticate: Authenticator, { transports }: AgentCardInput): Authenticator {
  const required = [...new Set(a2aTransports(transports).flatMap(({ requiredScopes = [] }) => requiredScopes))]
  return async (request) => {
    const principal = await authenticate(request)
    if (principal !== undefined) requireScopes(principal, required)
    return principal
  }
}
