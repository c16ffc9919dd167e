import type { McpChannelOptions } from '@cool-ai/beach-transport/mcp'

/** How an agent is served by MCP; all of it may be left out. */
export type McpOptions = Partial<
  Pick<McpChannelOptions, 'tool' | 'auth' | 'origins' | 'consumes' | 'legacy' | 'longestCallMs' | 'mostCalls'>
>
