import { started, type AgentContext } from '@cool-ai/beach-channel'
import { BeachError, type Channel, type Principal, type Route } from '@cool-ai/beach-core'
import type { McpChannel, McpStdio } from '@cool-ai/beach-mcp'
import { sseChannel, webSocketChannel } from '@cool-ai/beach-web'
import type { AgentSettings } from './agent-settings.ts'

/** A channel, and what becomes of it once its package is loaded. */
interface Loadable<Loaded extends Channel> {
  readonly channel: Channel
  readonly loaded: () => Promise<Loaded>
}

/** The channels that every agent has unless one is switched off. A protocol's package is loaded only if it is on. */
export async function builtInChannels(settings: AgentSettings) {
  const { sse = true, webSocket = true, a2a, card } = settings
  const byA2a = card !== undefined && a2a !== false ? (await import('@cool-ai/beach-a2a')).a2aChannel(a2a) : undefined
  const byMcp = await mcpOf(settings)
  const byAgui = await aguiOf(settings)
  const byAiSdk = aiSdkOf(settings)
  const byOpenAi = openAiOf(settings)
  return {
    channels: [
      ...(webSocket ? [webSocketChannel()] : []),
      ...(sse ? [sseChannel()] : []),
      ...(byA2a ? [byA2a] : []),
      ...(byMcp ? [byMcp.channel] : []),
      ...(byAgui ? [byAgui.channel] : []),
      ...(byAiSdk ? [byAiSdk.channel] : []),
      ...(byOpenAi ? [byOpenAi.channel] : []),
    ] satisfies Channel[],
    mcpStdio(principal: Principal): McpStdio {
      if (byMcp === undefined) {
        const message = 'This agent is not served by MCP: createBeach was given mcp: false.'
        throw new BeachError('INVALID_CONFIGURATION', message)
      }
      const opened = byMcp.loaded().then((channel) => channel.stdio(principal))
      return { closed: opened.then(({ closed }) => closed), close: async () => (await opened).close() }
    },
  }
}

/** The namespaces of slices that clients may speak to. */
export function handledNamespaces({ slices = [] }: AgentSettings): readonly string[] {
  return slices.filter((slice) => slice.handle !== undefined).map((slice) => slice.ns)
}

async function mcpOf({ mcp, exposedTools, card, a2a }: AgentSettings): Promise<Loadable<McpChannel> | undefined> {
  if (mcp === false) return undefined
  const load = async () => {
    const { mcpChannel } = await import('@cool-ai/beach-mcp')
    const { app = (await import('@cool-ai/beach-a2ui/mcp-app')).surfaceApp(), ...others } = mcp ?? {}
    return mcpChannel({ ...others, ...(app && { app }) })
  }
  if ([mcp, exposedTools, card, a2a].some((given) => given !== undefined)) return atOnce(await load())
  const { channel, loaded } = deferred({ transport: 'mcp', deliveryClass: 'buffered', paths: ['/mcp'] }, load)
  return { channel: { ...channel, preview: async (turn) => (await loaded()).preview(turn) }, loaded }
}

async function aguiOf(settings: AgentSettings): Promise<Loadable<Channel> | undefined> {
  const { agui } = settings
  if (agui === false) return undefined
  const load = async () => (await import('@cool-ai/beach-agui')).aguiChannel(agui)
  if (agui !== undefined || handledNamespaces(settings).length > 0) return atOnce(await load())
  return deferred({ transport: 'agui', deliveryClass: 'streaming', paths: ['/agui', '/agui/*'] }, load)
}

function aiSdkOf({ aiSdk }: AgentSettings): Loadable<Channel> | undefined {
  if (aiSdk === false) return undefined
  const load = async () => (await import('@cool-ai/beach-ai-sdk')).aiSdkChannel(aiSdk)
  const routes = [
    ['POST', '/chat'],
    ['GET', '/chat/:id'],
    ['GET', '/chat/:id/stream'],
    ['POST', '/chat/:id/stop'],
  ] as const
  return withPreview(deferred({ transport: 'ai-sdk', deliveryClass: 'streaming' }, load, routes), 'AI SDK page')
}

function openAiOf({ openai }: AgentSettings): Loadable<Channel> | undefined {
  if (openai === false) return undefined
  const load = async () => (await import('@cool-ai/beach-openai')).openAiChannel(openai)
  const routes = [
    ['GET', '/v1/models'],
    ['GET', '/v1/models/:id'],
    ['POST', '/v1/chat/completions'],
    ['POST', '/v1/responses'],
    ['GET', '/v1/responses/:id'],
    ['DELETE', '/v1/responses/:id'],
    ['POST', '/v1/responses/:id/cancel'],
    ['GET', '/v1/responses/:id/input_items'],
    ['POST', '/v1/conversations'],
    ['GET', '/v1/conversations/:id'],
    ['DELETE', '/v1/conversations/:id'],
    ['GET', '/v1/conversations/:id/items'],
  ] as const
  return withPreview(deferred({ transport: 'openai', deliveryClass: 'streaming' }, load, routes), 'OpenAI client')
}

function withPreview({ channel, loaded }: Loadable<Channel>, label: string): Loadable<Channel> {
  const preview: Channel['preview'] = async (turn) => {
    return (await (await loaded()).preview?.(turn)) ?? { label, items: [] }
  }
  return { channel: { ...channel, preview }, loaded }
}

function atOnce<Loaded extends Channel>(channel: Loaded): Loadable<Loaded> {
  return { channel, loaded: async () => channel }
}

/** A channel that is loaded by the first request to it. */
function deferred<Loaded extends Channel>(
  about: Pick<Channel, 'transport' | 'deliveryClass' | 'paths'>,
  load: () => Promise<Loaded>,
  routes: readonly (readonly [Route['method'], string])[] = [],
): Loadable<Loaded> {
  let context: AgentContext | undefined
  let loading: Promise<Loaded> | undefined
  const open = async () => {
    const channel = await load()
    await channel.start(started(context))
    return channel
  }
  const loaded = () => (loading ??= open())
  const answerOf = (method: Route['method'], path: string): Route['answer'] => {
    return async (...asked) => {
      const route = (await loaded()).routes?.find((one) => one.method === method && one.path === path)
      return (await route?.answer(...asked)) ?? new Response(null, { status: 404 })
    }
  }
  const channel: Channel = {
    ...about,
    ...(routes.length > 0 && {
      routes: routes.map(([method, path]) => ({ method, path, answer: answerOf(method, path) })),
    }),
    async start(given: AgentContext) {
      context = given
    },
    async drain() {
      await (await loading)?.drain?.()
    },
    openapi: async () => (await (await loaded()).openapi?.()) ?? { paths: {} },
    async fetch(request) {
      return (await (await loaded()).fetch?.(request)) ?? new Response(null, { status: 404 })
    },
  }
  return { channel, loaded }
}
