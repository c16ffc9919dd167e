import { a2aChannel, agentKey, type A2aChannelOptions, type AgentKey } from '@cool-ai/beach-a2a'
import { requireAskedScopes, requireCapabilities } from '@cool-ai/beach-channel/auth'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { jsonResponse } from '@cool-ai/beach-channel/http'
import type { ConversationRateLimiter } from '@cool-ai/beach-channel/live'
import {
  BeachError,
  type Channel,
  type Inbound,
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
  type CardCapability,
  type CardSigner,
} from '@cool-ai/beach-protocol/agent-card'
import { a2aAccess, interfaceName, type A2aAccess } from './a2a-access.ts'
import type { AgentSettings } from './agent-settings.ts'
import type { BeachOptions } from './create-beach.ts'
import { cardOf, hasAddress } from './own-card.ts'
import type { AccessPolicy } from './access-policy.ts'

/** A card as its author writes it; the ways to reach the agent may be left to it. */
export type BeachCard = Omit<AgentCardInput, 'transports'> & Partial<Pick<AgentCardInput, 'transports'>>

/** How an agent is served by A2A; all of it may be left out. */
export interface A2aOptions extends Partial<Pick<A2aChannelOptions, 'fetch' | 'push' | 'gatherMs'>> {
  /** How callers authenticate, where the card does not say it; by MCP too, unless `mcp.auth` says more. None when left out. */
  readonly auth?: AgentCardInput['transports'][number]['auth'] | undefined
  /** The media types that the agent takes, such as `image/*`; text and JSON when left out. */
  readonly inputModes?: readonly string[] | undefined
  /** What more there is to know for authenticated callers. */
  readonly extendedCard?: BeachCard | undefined
  /**
   * The agent's own key pair. With it cards and push notifications are signed; its public half is at
   * `/.well-known/jwks.json`.
   */
  readonly signer?: CardSigner | undefined
}

interface A2aContext {
  readonly options: AgentSettings
  readonly card: AgentCardInput
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly tenant: string
  readonly keep: AccessPolicy
  readonly artifactLink: A2aChannelOptions['artifactLink'] | undefined
  readonly rateLimiter: ConversationRateLimiter
}

interface A2aParts {
  /** The card, and the public half of the agent's key. */
  readonly wellKnown: readonly Pick<Channel, 'paths' | 'fetch'>[]
  readonly channel?: Channel
  /** The card says that the agent is there, where nothing else says it. */
  readonly listensOn?: (url: string) => Promise<void>
  /** Lets go of the connections for push notifications. */
  readonly close?: () => Promise<void>
}

/** The place where the card stands, and the way in by A2A, which an agent may be without. */
export async function a2aOf(context: A2aContext): Promise<A2aParts> {
  const { options, card, runtime, partTypes, tenant, keep, artifactLink, rateLimiter } = context
  const { clock } = runtime
  if (options.a2a === false) {
    const only = buildAgentCard(card, { clock })
    return { wellKnown: [wellKnownOf(() => only)] }
  }
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
  const publish = async (input: AgentCardInput) => ({
    card: await build(input),
    extended: extendedCard && (await build({ transports: input.transports, ...extendedCard })),
  })
  let published = await publish(card)
  let isPlaced = hasAddress(options)
  const listensOn = async (url: string) => {
    const placed = isPlaced ? undefined : cardOf(options, url)
    if (placed === undefined) return
    published = await publish(placed)
    isPlaced = true
  }
  const current = () => {
    if (isPlaced) return published.card
    throw new BeachError(
      'INVALID_CONFIGURATION',
      'A card needs to say where the agent is. Give createBeach a publicUrl, or let the agent listen.',
    )
  }
  const doors = a2aAccess(card)
  const guest: Principal = { kind: 'anonymous', id: '', tenant }
  // Who comes as a guest is not known where a card asks for a credential, by whichever endpoint.
  const readsExtended = ({ kind }: Principal) => !(isClosed(doors) && kind === 'anonymous')
  const every = capabilitiesOf(extendedCard === undefined ? [card] : [card, extendedCard])
  // A caller that may not read the extended card learns nothing of it.
  const shown = every.filter(({ id }) => card.capabilities.some((one) => one.id === id))
  const channel = a2aChannel({
    runtime,
    partTypes,
    rateLimiter,
    card: () => published.card,
    agentId: card.id,
    authenticate: authenticatorOf(doors, keep),
    fetch,
    authorise: (principal, message) =>
      requireCapabilities(principal && readsExtended(principal) ? every : shown, message, principal ?? guest),
    extendedCard: () => published.extended,
    key,
    ...(isOpen(doors) && { guests: { secret: options.secret, tenant } }),
    extendedFor: readsExtended,
    artifactLink,
    push,
    gatherMs,
    body: options.limits?.body,
    ...(options.limits?.streamsPerPrincipal && { maxOpen: options.limits.streamsPerPrincipal }),
    ...(options.limits?.guestStreamsPerNetwork && { maxOpenPerNetwork: options.limits.guestStreamsPerNetwork }),
    heartbeatMs: options.heartbeatMs,
  })
  const wellKnown = [wellKnownOf(current), ...(key ? [keysOf(key)] : [])]
  return { channel, wellKnown, listensOn, ...(guarded && { close: () => guarded.close() }) }
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

function wellKnownOf(current: () => AgentCard) {
  let shown: { readonly card: AgentCard; readonly answer: ReturnType<typeof wellKnownAgentCard> } | undefined
  return {
    paths: ['/.well-known/agent-card.json'],
    fetch: async (request: Request) => {
      const card = current()
      if (shown?.card !== card) shown = { card, answer: wellKnownAgentCard(card) }
      return shown.answer(request) ?? new Response(null, { status: 404 })
    },
  }
}

/** What is asked for by its name needs the scopes that the cards say, by whatever channel it comes. */
export function authoriserOf({ card, a2a }: BeachOptions): ((inbound: Inbound, by: Principal) => void) | undefined {
  const extended = a2a === false ? undefined : a2a?.extendedCard
  const capabilities = capabilitiesOf([card, extended].filter((one) => one !== undefined))
  const guarded = capabilities.filter(({ requiredScopes }) => requiredScopes.length > 0)
  return guarded.length === 0 ? undefined : ({ parts }, by) => requireAskedScopes(guarded, { parts }, by)
}

type Capabilities = readonly Pick<CardCapability, 'id' | 'requiredScopes'>[]

/** What the cards say that the agent can do; a capability of both needs the scopes of both. */
function capabilitiesOf(cards: readonly BeachCard[]): Capabilities {
  const scopes = new Map<string, readonly string[]>()
  for (const { id, requiredScopes = [] } of cards.flatMap(({ capabilities }) => capabilities)) {
    scopes.set(id, [...new Set([...(scopes.get(id) ?? []), ...requiredScopes])])
  }
  return [...scopes].map(([id, requiredScopes]) => ({ id, requiredScopes }))
}

/** True where a way in asks for a credential. */
function isClosed(doors: A2aAccess): boolean {
  return [...doors.values()].some(({ auths }) => auths.length > 0)
}

/** True where a way in asks for none. */
function isOpen(doors: A2aAccess): boolean {
  return [...doors.values()].some(({ auths }) => auths.length === 0)
}

/**
 * Who is calling, by the endpoint of the way that the request has come. Tasks belong to principals, so an open endpoint gives
 * away nothing of those who came by another one; but the id that all strangers once had is nobody's: their tasks may
 * still be in the data folder.
 */
function authenticatorOf(doors: A2aAccess, keep: AccessPolicy): A2aChannelOptions['authenticate'] {
  const kept = new Map([...doors].map(([way, door]) => [way, keep(door)]))
  const isMixed = isOpen(doors) && isClosed(doors)
  return async (request, way) => {
    const known = await kept.get(interfaceName(way))?.(request)
    const { kind, id } = known?.principal ?? {}
    if (!isMixed || kind !== 'peer' || id !== 'anonymous') return known
    const message = "The id 'anonymous' is kept for callers without a credential. Ask its issuer for another id."
    throw new BeachError('FORBIDDEN', message)
  }
}
