import { started, type AgentContext } from '@cool-ai/beach-channel'
import type { Channel, Principal } from '@cool-ai/beach-core'
import { AgentServers, type AgentServerOptions } from './agent-server.ts'
import type { McpAccessOptions } from './authorize-request.ts'
import type { LegacyLimits } from './legacy-sessions.ts'
import { mcpAccess } from './mcp-access.ts'
import { mcpEndpoint } from './mcp-endpoint.ts'
import { mcpPreview } from './mcp-preview.ts'
import { mcpStdio, type McpStdio } from './mcp-stdio.ts'
import { metadataPath, metadataResponse } from './protected-resource.ts'

/** How an agent is served by MCP; all of it may be left out. */
export interface McpChannelOptions
  extends
    Pick<AgentServerOptions, 'tool' | 'app' | 'consumes' | 'maxCallMs' | 'maxCalls' | 'tasks' | 'extend'>,
    Pick<McpAccessOptions, 'auth' | 'origins'> {
  /** What sessions of clients of earlier revisions may take up. */
  readonly legacy?: LegacyLimits | undefined
}

/** A channel that is also served on pipes. */
export interface McpChannel extends Channel {
  preview: NonNullable<Channel['preview']>
  /** Serves the process that started this one, on its input and output. */
  stdio(principal: Principal): McpStdio
}

const path = '/mcp'

/** MCP clients' way in: the agent as a tool to converse with, by Streamable HTTP at `/mcp` and on pipes. */
export function mcpChannel(options: McpChannelOptions = {}): McpChannel {
  const { auth } = options
  let serving: Awaited<ReturnType<typeof serve>> | undefined
  return {
    transport: 'mcp',
    deliveryClass: 'buffered',
    paths: auth === undefined ? [path] : [path, metadataPath(path), metadataPath('')],
    async start(context: AgentContext) {
      serving = await serve(options, context)
    },
    drain: () => started(serving).servers.drained(),
    async fetch(request) {
      const isEndpoint = auth === undefined || new URL(request.url).pathname === path
      return isEndpoint ? started(serving).endpoint.fetch(request) : metadataResponse(request, auth)
    },
    preview: async (turn) => started(serving).preview(turn),
    openapi: async () =>
      (await import('./mcp-openapi.ts')).mcpOpenApi(auth === undefined ? [] : [metadataPath(path), metadataPath('')]),
    stdio: (principal) => started(serving).stdio(principal),
  }
}

async function serve(given: McpChannelOptions, context: AgentContext) {
  const { runtime, sessions, signal, card } = context
  const options = {
    ...context,
    ...given,
    // Its tool is the one that the card's MCP transport names.
    tool: given.tool ?? card?.transports.find(({ protocol }) => protocol === 'mcp')?.tool,
    origins: [...(context.origins ?? []), ...(given.origins ?? [])],
    authenticate: await context.authenticatorFor(mcpAccess(context, given.auth)),
    artifactLink: context.localLink,
    keepAliveMs: context.heartbeatMs,
  }
  const servers = new AgentServers(options)
  const serverFor = servers.server.bind(servers)
  const endpoint = mcpEndpoint({ ...options, serverFor, listen: servers.listen.bind(servers) })
  await servers.start(sessions, signal)
  // Calls that wait are answered before their connections go.
  const finish = async () => {
    await servers.idle()
    await new Promise((resolve) => setImmediate(resolve))
    await endpoint.close()
  }
  signal.addEventListener('abort', () => void finish(), { once: true })
  return {
    servers,
    endpoint,
    preview: mcpPreview(options),
    stdio: (principal: Principal) => mcpStdio({ runtime, serverFor, caller: { principal } }),
  }
}
