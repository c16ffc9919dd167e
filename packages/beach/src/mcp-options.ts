import { surfaceApp } from '@cool-ai/beach-a2ui/mcp-app'
import type { McpApp, McpChannelOptions } from '@cool-ai/beach-mcp'

/** How an agent is served by MCP; all of it may be left out. */
export type McpOptions = Partial<
  Pick<McpChannelOptions, 'tool' | 'auth' | 'origins' | 'consumes' | 'legacy' | 'maxCallMs' | 'maxCalls'>
> & {
  /** The page that hosts of MCP Apps show surfaces in; false for none, ours when left out. */
  readonly app?: McpApp | false | undefined
}

/** The options as the channel takes them. */
export function mcpSettings({ app = surfaceApp(), ...others }: McpOptions = {}) {
  return { ...others, ...(app && { app }) }
}
