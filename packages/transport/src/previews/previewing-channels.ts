import type { ArtifactStore, Channel, PartTypeRegistry, Principal, Runtime } from '@cool-ai/beach-core'
import { a2aPreview } from '../a2a/a2a-preview.ts'
import { emailPreview } from '../email/email-preview.ts'
import { mcpPreview } from '../mcp/mcp-preview.ts'
import { smsPreview } from '../sms/sms-preview.ts'
import { whatsAppPreview } from '../whatsapp/whatsapp-preview.ts'
import type { PreviewingChannel } from './previews-route.ts'

/** What channels that an agent does not have are shown with. */
export interface PreviewWorld {
  readonly runtime: Runtime
  readonly agent: { readonly id: string; readonly name: string }
  readonly partTypes: PartTypeRegistry
  readonly publicUrl?: string | undefined
  readonly artifacts?: ArtifactStore | undefined
  readonly artifactLink?:
    | ((artifactId: string, session: string, principal: Principal) => Promise<string | undefined>)
    | undefined
}

/** Those that are always shown, in their order; after them come those that the application has besides. */
const order: readonly string[] = ['sse', 'a2a', 'mcp', 'smtp', 'whatsapp', 'sms']

/** The agent's channels that can say what they would send, and those that it does not have as they would be. */
export function previewingChannels(channels: readonly Channel[], world: PreviewWorld): PreviewingChannel[] {
  const own = channels.flatMap((channel): PreviewingChannel[] => {
    const { transport, deliveryClass } = channel
    const preview = channel.preview?.bind(channel)
    return preview === undefined ? [] : [{ transport, deliveryClass, isConfigured: true, preview }]
  })
  const has = new Set(own.map(({ transport }) => transport))
  const others = usualChannels(world).filter(({ transport }) => !has.has(transport))
  const place = ({ transport }: PreviewingChannel) => {
    const index = order.indexOf(transport)
    return index === -1 ? order.length : index
  }
  return [...own, ...others].toSorted((one, other) => place(one) - place(other))
}

/** Composing needs no account, so that it can be shown without one. */
function usualChannels(world: PreviewWorld): PreviewingChannel[] {
  const { agent, runtime } = world
  const previews = {
    a2a: a2aPreview(world),
    mcp: mcpPreview(world),
    smtp: emailPreview({ ...world, name: agent.name }),
    whatsapp: whatsAppPreview(world),
    sms: smsPreview({ ...world, clock: runtime.clock }),
  }
  return Object.entries(previews).map(([transport, preview]) => {
    return { transport, deliveryClass: 'buffered', isConfigured: false, preview }
  })
}
