import type {
  ArtifactStore,
  Channel,
  Clock,
  PartTypeRegistry,
  Principal,
  Runtime,
  TurnStateRegistry,
} from '@cool-ai/beach-core'
import type { PreviewingChannel } from '@cool-ai/beach-web'

/** What channels that an agent does not have are shown with. */
export interface PreviewContext {
  readonly runtime: Runtime
  readonly clock: Clock
  readonly agent: { readonly id: string; readonly name: string }
  readonly name: string
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  readonly publicUrl?: string | undefined
  readonly artifacts?: ArtifactStore | undefined
  readonly artifactLink?:
    | ((artifactId: string, session: string, principal: Principal) => Promise<string | undefined>)
    | undefined
}

type Preview = PreviewingChannel['preview']

/** The channels that are shown first, in this order; the application's other channels follow. */
const order: readonly string[] = ['sse', 'a2a', 'mcp', 'smtp', 'whatsapp', 'sms', 'chat']

/** How channels that the agent does not have would look, where their packages are installed: composing needs no account. */
const others: Readonly<Record<string, (context: PreviewContext) => Promise<Preview>>> = {
  a2a: async (context) => (await import('@cool-ai/beach-a2a')).a2aPreview(context),
  mcp: async (context) => (await import('@cool-ai/beach-mcp')).mcpPreview(context),
  smtp: async (context) => (await import('@cool-ai/beach-email/preview')).emailPreview(context),
  whatsapp: async (context) => (await import('@cool-ai/beach-phones/previews')).whatsAppPreview(context),
  sms: async (context) => (await import('@cool-ai/beach-phones/previews')).smsPreview(context),
  chat: async (context) => (await import('@cool-ai/beach-chat/preview')).chatPreview(context),
}

/** The agent's channels that can show what they would send, then those that it does not have. */
export async function previewingChannels(
  channels: readonly Channel[],
  context: PreviewContext,
): Promise<readonly PreviewingChannel[]> {
  const own = channels.flatMap((channel): PreviewingChannel[] => {
    const { transport, deliveryClass } = channel
    const preview = channel.preview?.bind(channel)
    return preview === undefined ? [] : [{ transport, deliveryClass, isConfigured: true, preview }]
  })
  const has = new Set(own.map(({ transport }) => transport))
  const missing = Object.keys(others).filter((transport) => !has.has(transport))
  const shown = await Promise.all(missing.map((transport) => previewOf(transport, context)))
  return [...own, ...shown.flat()].toSorted((one, other) => place(one) - place(other))
}

async function previewOf(transport: string, context: PreviewContext): Promise<PreviewingChannel[]> {
  try {
    const preview = await others[transport]?.(context)
    return preview === undefined ? [] : [{ transport, deliveryClass: 'buffered', isConfigured: false, preview }]
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return []
    throw error
  }
}

function place({ transport }: PreviewingChannel): number {
  const index = order.indexOf(transport)
  return index === -1 ? order.length : index
}
