import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'
import type { AgentAbout } from './agent-server.ts'

/** What MCP clients are told of an agent, by its card: its tool is the one that the card's MCP transport names. */
export function mcpAbout(
  agent: { readonly id: string; readonly name: string },
  card: AgentCardInput | undefined,
): { readonly agent: AgentAbout; readonly tool?: string } {
  if (card === undefined) return { agent }
  const { version, description, capabilities } = card
  const tool = card.transports.find(({ protocol }) => protocol === 'mcp')?.tool
  return { agent: { ...agent, version, description, capabilities }, ...(tool !== undefined && { tool }) }
}
