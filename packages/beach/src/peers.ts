import { agentCaller, peerForward, peerTools } from '@cool-ai/beach-a2a/peers'
import { credentialsOfPeers } from '@cool-ai/beach-channel/auth'
import { guardedFetch, type GuardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError, type PartTypeRegistry, type Runtime } from '@cool-ai/beach-core'
import type { SessionPeers } from '@cool-ai/beach-core/ports'
import type { ReadAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { AgentRegistry, type PeerListing } from '@cool-ai/beach-transport/registry'
import type { AgentSettings } from './agent-settings.ts'
import type { PublishedCard } from './published-card.ts'
import { catalogIds } from './surface-extensions.ts'

/** Another agent that this one may ask, by its `url`; its id here is its key in `peers`. */
export interface PeerOptions extends Omit<PeerListing, 'id'> {
  /** What users read of the peer before its card has been fetched, which then says its name; its id when left out. */
  readonly name?: string | undefined
  /**
   * What the peer may do here beyond answering. With `state:write`, setState parts in its answers move the coordinates of
   * components that allow it (`allowHandlerTransitions`); without it they are refused.
   */
  readonly scopes?: readonly string[] | undefined
  /**
   * `descriptions`: what its card says of it counts as this agent's own words. Left out, it is foreign content in every
   * turn of an actor that may ask the peer, so that calls that are `tainted` need an approval.
   */
  readonly trustWords?: 'descriptions' | undefined
}

/** Knows the peers by their cards, and makes a tool of each; secrets come from the environment (docs/peers.md). */
export function openPeers(
  settings: AgentSettings,
  runtime: Runtime,
  partTypes: PartTypeRegistry,
  own: PublishedCard | undefined,
  given?: GuardedFetch,
) {
  const { agent, peers = {}, consumes, surfaces } = settings
  const listings = Object.entries(peers).map(([id, { scopes: _, name: __, trustWords: ___, ...listing }]) => ({
    ...listing,
    id,
  }))
  // The configuration names these addresses, so they need not be public.
  const allow = listings.flatMap(({ url, cardUrl }) => originOf(url ?? cardUrl))
  const fetch = given ?? guardedFetch({ clock: runtime.clock, allow })
  const registry = new AgentRegistry({ peers: listings, fetch, runtime })
  const caller = agentCaller({
    peers: registry,
    agent: {
      id: agent.id,
      get card() {
        return own?.url
      },
    },
    fetch,
    runtime,
    credentials: credentialsOfPeers({ fetch }),
    consumes,
    catalogs: shownCatalogs(settings),
    mcp: async (call, options) => (await mcpPeers()).mcpCaller(call, options),
  })
  const names = new Map(Object.entries(peers).map(([id, { name = id }]) => [id, name]))
  const asking = { caller, peers: registry, agentId: agent.id, runtime, partTypes, surfaces, names }
  return {
    /** The card of the peer that is listed with this address; undefined when none is. */
    cardAt(address: string): Promise<ReadAgentCard> | undefined {
      const { id } = registry.list().find(({ cardUrl }) => cardUrl === address) ?? {}
      return id === undefined ? undefined : registry.current(id).then(({ card: read }) => read)
    },
    tools: peerTools({ ...asking, trustWords: (id) => (Object.hasOwn(peers, id) ? peers[id]?.trustWords : undefined) }),
    /** The port that sessions reach the peers by. */
    inSessions: {
      scopesOf: (id) => (Object.hasOwn(peers, id) ? (peers[id]?.scopes ?? []) : undefined),
      forward: peerForward(asking),
    } satisfies SessionPeers,
    async close() {
      await registry.close()
      await fetch.close()
    },
  }
}

/** The catalogs of peers' surfaces that are shown here: those of the agent, and the one that its card names. */
function shownCatalogs({ card, catalogs }: AgentSettings): string[] {
  return [...new Set([...catalogIds({ catalogs }), card?.envelope?.a2uiCatalog ?? []].flat())]
}

/** Peers that speak MCP only need a client, which other agents do without. */
async function mcpPeers() {
  try {
    return await import('@cool-ai/beach-mcp/peers')
  } catch (cause) {
    const message = 'A peer that speaks MCP only needs a client: run `npm install @modelcontextprotocol/client`.'
    throw new BeachError('INVALID_CONFIGURATION', message, { cause })
  }
}

function originOf(url: string | undefined): string[] {
  return url !== undefined && URL.canParse(url) ? [new URL(url).origin] : []
}
