import type { BodyLimits } from '@cool-ai/beach-channel/http'
import { ConversationRateLimiter } from '@cool-ai/beach-channel/live'
import type { Channel, Principal } from '@cool-ai/beach-core'
import { AgentServers, type AgentServerOptions } from './agent-server.ts'
import type { McpAccessOptions } from './authorize-request.ts'
import type { LegacyLimits } from './legacy-sessions.ts'
import { mcpEndpoint } from './mcp-endpoint.ts'
import { mcpPreview } from './mcp-preview.ts'
import { mcpStdio, type McpStdio } from './mcp-stdio.ts'
import { metadataPath, metadataResponse } from './protected-resource.ts'

export interface McpChannelOptions extends AgentServerOptions, McpAccessOptions {
  readonly body?: BodyLimits | undefined
  /** What sessions of clients of earlier revisions may take up. */
  readonly legacy?: LegacyLimits | undefined
  readonly keepAliveMs?: number | undefined
}

/** A channel that is also served on pipes. */
export interface McpChannel extends Channel {
  /** Serves the process that started this one, on its input and output. */
  stdio(principal: Principal): McpStdio
}

const path = '/mcp'

/** MCP clients' way in: the agent as a tool to converse with, by Streamable HTTP at `/mcp` and on pipes. */
export function mcpChannel(given: McpChannelOptions): McpChannel {
  const { runtime, auth } = given
  const options = { ...given, rateLimiter: given.rateLimiter ?? new ConversationRateLimiter(runtime.clock) }
  const servers = new AgentServers(options)
  const serverFor = servers.server.bind(servers)
  const endpoint = mcpEndpoint({ ...options, serverFor })
  // Calls that wait are answered before their connections go.
  const finish = async () => {
    await servers.idle()
    await new Promise((resolve) => setImmediate(resolve))
    await endpoint.close()
  }
  return {
    transport: 'mcp',
    deliveryClass: 'buffered',
    paths: auth === undefined ? [path] : [path, metadataPath(path), metadataPath('')],
    async start({ sessions, signal }) {
      servers.start(sessions, signal)
      signal.addEventListener('abort', () => void finish(), { once: true })
    },
    drain: () => servers.drained(),
    async fetch(request) {
      const isEndpoint = auth === undefined || new URL(request.url).pathname === path
      return isEndpoint ? endpoint.fetch(request) : metadataResponse(request, auth)
    },
    preview: mcpPreview(options),
    stdio: (principal) => mcpStdio({ runtime, serverFor, caller: { principal } }),
  }
}
