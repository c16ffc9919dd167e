import { agentCaller, type AgentCaller } from '@cool-ai/beach-a2a/peers'
import { credentialsOfPeers } from '@cool-ai/beach-channel/auth'
import type { GuardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError, systemRuntime } from '@cool-ai/beach-core'
import { AgentRegistry } from '@cool-ai/beach-transport'
import { findCard } from './find-agent.ts'

/** How an agent is called from a terminal. */
export interface CallAddress {
  readonly address: string
  /** The tool of an MCP server, for an address that is not an agent's with a card. */
  readonly tool?: string | undefined
  /** The name under which the environment has the credentials. */
  readonly credentials: string
}

export interface OpenedCall {
  /** The id by which the agent is called here. */
  readonly peer: string
  readonly callAgent: AgentCaller['callAgent']
  close(): Promise<void>
}

/**
 * Opens the way to an agent: by its card A2A or, where it speaks that only, MCP. Without a card the address is taken for
 * that of an MCP server.
 */
export async function openCall({ address, tool, credentials }: CallAddress, fetch: GuardedFetch): Promise<OpenedCall> {
  const found = await cardOf(address, tool, fetch)
  const runtime = systemRuntime()
  const origin = new URL(address).origin
  const listing = { id: found.id, card: found.card, allowOrigins: [origin], credentials }
  const registry = new AgentRegistry({ peers: [listing], fetch, runtime })
  const { callAgent } = agentCaller({
    peers: registry,
    agent: { id: 'beach-call' },
    fetch,
    runtime,
    credentials: credentialsOfPeers({ fetch }),
    mcp: async (call, options) => (await mcpPeers()).mcpCaller(call, options),
  })
  return { peer: found.id, callAgent, close: () => registry.close() }
}

async function cardOf(address: string, tool: string | undefined, fetch: GuardedFetch) {
  if (tool !== undefined) return mcpCard(address, tool)
  try {
    const { json, card } = await findCard(address, fetch)
    return { id: card.id ?? card.name, card: json }
  } catch (cause) {
    if (!(cause instanceof BeachError) || cause.code === 'BAD_REQUEST') throw cause
    const message = `${cause.message} An MCP server without a card is called with --tool <name>.`
    throw new BeachError(cause.code, message, { cause })
  }
}

/** What a card would say of an MCP server. */
function mcpCard(endpoint: string, tool: string) {
  const id = 'mcp-server'
  const transport = { protocol: 'mcp', version: 'stable', endpoint, transport: 'http', tool }
  const about = { schemaVersion: '1.0', name: 'MCP server', description: 'An MCP server.', version: '1.0.0' }
  return { id, card: { ...about, id, capabilities: [], transports: [transport] } }
}

async function mcpPeers() {
  try {
    return await import('@cool-ai/beach-mcp/peers')
  } catch (cause) {
    const message = 'A call by MCP needs its client. Run: npm install @modelcontextprotocol/client'
    throw new BeachError('INVALID_CONFIGURATION', message, { cause })
  }
}
