import { agentCaller as callerOf, type AgentCaller, type AgentCallerOptions } from '@cool-ai/beach-a2a/peers'
import { mcpCaller } from '@cool-ai/beach-mcp/peers'

/** @deprecated Import from `@cool-ai/beach-a2a/peers`. */
export * from '@cool-ai/beach-a2a/peers'

/** @deprecated Import it from `@cool-ai/beach-a2a/peers`, and give it `mcp: mcpCaller` of `@cool-ai/beach-mcp/peers`. */
export function agentCaller(options: AgentCallerOptions): AgentCaller {
  return callerOf({ ...options, mcp: options.mcp ?? mcpCaller })
}
