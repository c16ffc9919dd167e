import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'

/** True for the transports that are `/mcp`; others are on pipes. */
export function isMcpByHttp({ protocol, endpoint }: AgentCardInput['transports'][number]): boolean {
  return protocol === 'mcp' && /^https?:/i.test(endpoint)
}

/** The name of the MCP tool by which an agent is asked, by default. */
export function askToolName(agentId: string): string {
  return `ask_${agentId.replaceAll(/[^A-Za-z0-9_]+/g, '_')}`
}
