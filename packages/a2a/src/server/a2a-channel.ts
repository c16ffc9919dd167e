import { started, type AgentContext } from '@cool-ai/beach-channel'
import { mergedCapabilities, requireCapabilities } from '@cool-ai/beach-channel/auth'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { checkOrigins, jsonResponse } from '@cool-ai/beach-channel/http'
import { BeachError, type Channel, type Principal, type PushPolicy } from '@cool-ai/beach-core'
import type { AgentCardInput, CardAuth, CardSigner } from '@cool-ai/beach-protocol/agent-card'
import { a2aAccess, authenticatorOf, isClosed, isOpen } from './a2a-access.ts'
import { A2aServer } from './a2a-server.ts'
import { agentKey, type AgentKey } from './agent-key.ts'
import { pushDetailsOf } from './push-configs.ts'
import type { PushFetch } from './push-sender.ts'

/** How an agent is served by A2A; all of it may be left out. */
export interface A2aOptions {
  /** How callers authenticate, where the card does not say it; by MCP too, unless `mcp.auth` says more. None when left out. */
  readonly auth?: CardAuth | undefined
  /** The media types that the agent takes, such as `image/*`; text and JSON when left out. */
  readonly inputModes?: readonly string[] | undefined
  /** The media types that the agent answers with; text and JSON when left out. */
  readonly outputModes?: readonly string[] | undefined
  /** False for an agent that does not stream: callers wait for the answer, or ask for the task. */
  readonly streaming?: boolean | undefined
  /** What more there is to know for authenticated callers. */
  readonly extendedCard?: ExtendedCard | undefined
  /**
   * The agent's own key pair. With it cards and push notifications are signed; its public half is at
   * `/.well-known/jwks.json`.
   */
  readonly signer?: CardSigner | undefined
  /** @deprecated Use `access.origins`, which holds for every channel. */
  readonly origins?: readonly string[] | undefined
  /** How push notifications are sent, to addresses that callers choose; to public ones only when left out. */
  readonly fetch?: PushFetch | undefined
  /** How push notifications are tried again; false for an agent that sends none. */
  readonly push?: PushPolicy | false | undefined
  /**
   * How many bytes of files go with one answer that is no stream; larger ones are linked. 256 kB when left out, 0 for links
   * only.
   */
  readonly attachBytes?: number | undefined
  /** How long pieces of text are gathered before they are sent together; 75 ms when left out. */
  readonly gatherMs?: number | undefined
}

/** A card as its author writes it; the ways to reach the agent may be left to it. */
export type ExtendedCard = Omit<AgentCardInput, 'transports'> & Partial<Pick<AgentCardInput, 'transports'>>

const keysPath = '/.well-known/jwks.json'

/** Other agents' way in: A2A 1.0 and 0.3, by JSON-RPC at `/a2a` and by HTTP+JSON at `/a2a/rest`. The agent has a card. */
export function a2aChannel(options: A2aOptions = {}): Channel {
  const { push = {}, signer } = options
  checkOrigins(options.origins, 'a2a.origins')
  let key: AgentKey | undefined
  let server: A2aServer | undefined
  return {
    transport: 'a2a',
    deliveryClass: 'buffered',
    paths: ['/a2a', '/a2a/*', ...(signer ? [keysPath] : [])],
    async start(context: AgentContext) {
      const { publicUrl, agent, card, runtime } = context
      key = signer && agentKey(signer, { issuer: publicUrl ?? card?.id ?? agent.id, clock: runtime.clock })
      server = await openServer(options, context, key)
    },
    async fetch(request) {
      if (key !== undefined && new URL(request.url).pathname === keysPath) return keysResponse(request, key)
      return started(server).fetch(request)
    },
    preview: async (turn) => started(server).preview(turn),
    openapi: async () => (await import('./a2a-openapi.ts')).a2aOpenApi(signer && keysPath),
    send: async (to, envelope, id, signal) => {
      if (push === false) return { status: 'refused', reason: 'This agent no longer pushes notifications.' }
      return started(server).sender.send(to, envelope, id, signal)
    },
    reaches: (to) => push !== false && pushDetailsOf(to) !== undefined,
    push: push === false ? undefined : push,
  }
}

async function openServer(options: A2aOptions, context: AgentContext, key: AgentKey | undefined): Promise<A2aServer> {
  const { card, published, secret, tenant } = context
  if (card === undefined || published === undefined) {
    throw new BeachError('INVALID_CONFIGURATION', 'An agent that speaks A2A needs a card. Give `agent.description`.')
  }
  const access = a2aAccess(card)
  const guest: Principal = { kind: 'anonymous', id: '', tenant }
  // Guests count as unknown wherever a card asks for a credential, by whichever endpoint they come.
  const readsExtended = ({ kind }: Principal) => !(isClosed(access) && kind === 'anonymous')
  const { extendedCard } = options
  const every = mergedCapabilities(extendedCard === undefined ? [card] : [card, extendedCard])
  // A caller that may not read the extended card learns nothing of it.
  const shown = every.filter(({ id }) => card.capabilities.some((one) => one.id === id))
  return new A2aServer({
    ...context,
    card: () => published.card(),
    extendedCard: () => published.extended(),
    extendedFor: readsExtended,
    agentId: card.id,
    authenticate: await authenticatorOf(access, context),
    authorise: (principal, message) =>
      requireCapabilities(principal && readsExtended(principal) ? every : shown, message, principal ?? guest),
    guests: isOpen(access) ? { secret, tenant } : undefined,
    artifactLink: context.localLink,
    fetch: options.fetch ?? publicFetch(context),
    key,
    attachBytes: options.attachBytes,
    gatherMs: options.gatherMs,
    origins: [...(context.origins ?? []), ...(options.origins ?? [])],
  })
}

/** The way to public addresses, which ends with the channel. */
function publicFetch({ runtime, signal }: AgentContext): PushFetch {
  const fetch = guardedFetch({ clock: runtime.clock })
  signal.addEventListener('abort', () => void fetch.close(), { once: true })
  return fetch
}

function keysResponse({ method }: Request, { jwks }: AgentKey): Response {
  if (method === 'GET' || method === 'HEAD') {
    return jsonResponse(jwks, 200, { 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' })
  }
  throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET, HEAD' } })
}
