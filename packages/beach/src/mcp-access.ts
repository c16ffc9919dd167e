import { accessRequirements, type AccessRequirements } from '@cool-ai/beach-channel/auth'
import type { ProtectedResource } from '@cool-ai/beach-mcp'
import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'
import { a2aTransports } from './a2a-access.ts'
import type { A2aOptions } from './a2a.ts'
import { isMcpByHttp } from './own-card.ts'

interface McpAccessInput {
  readonly card: AgentCardInput | undefined
  /** What A2A asks for, where the card does not say it. */
  readonly defaultAuth: A2aOptions['auth']
  /** The tokens that MCP asks for. */
  readonly tokens: ProtectedResource | undefined
}

/** What `/mcp` asks of its callers: what its transport in the card says. Where the card has none, as much as A2A asks. */
export function mcpAccess({ card, defaultAuth, tokens }: McpAccessInput): AccessRequirements {
  const own = (card?.transports ?? []).filter(isMcpByHttp)
  if (tokens !== undefined) {
    return accessRequirements([...own, { auth: { type: 'oauth2' }, requiredScopes: tokens.requiredScopes ?? [] }])
  }
  if (card === undefined) return accessRequirements(defaultAuth === undefined ? [] : [{ auth: defaultAuth }])
  return accessRequirements(own.length === 0 ? a2aTransports(card.transports) : own)
}
