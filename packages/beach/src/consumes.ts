import { defaultConsumes } from '@cool-ai/beach-a2a/peers'
import type { PartTypeRegistry } from '@cool-ai/beach-core'
import type { AgentSettings } from './agent-settings.ts'

const surface = 'a2ui-surface'

/**
 * The settings of an agent that has peers, with the part types that it consumes: in its calls, and on its card if it
 * has one.
 */
export function withConsumes(settings: AgentSettings, partTypes: PartTypeRegistry): AgentSettings {
  const { card } = settings
  const authored = card?.envelope?.consumes
  const shown = showsSurfaces(settings) ? [surface] : []
  const consumes = authored ?? [...defaultConsumes, ...shown, ...applicationTypes(partTypes)]
  const surfaces = authored === undefined || authored.includes(surface)
  return { ...settings, consumes, surfaces, card: card && { ...card, envelope: { ...card.envelope, consumes } } }
}

/** True for an agent with a channel whose clients can show surfaces; other channels send their text form. */
function showsSurfaces({ sse = true, webSocket = true, agui, mcp, channels = [] }: AgentSettings): boolean {
  const hasApp = mcp !== false && mcp?.app !== false
  return sse || webSocket || agui !== false || hasApp || channels.some((own) => own.deliveryClass === 'streaming')
}

/** The part types of the application that any agent may send. */
function applicationTypes(partTypes: PartTypeRegistry): string[] {
  const own = partTypes.entries().filter(({ isCanonical }) => !isCanonical)
  return own
    .filter(({ saidBy, deliveryRules }) => saidBy !== 'tools' && deliveryRules.streaming !== 'inbound-only')
    .map(({ partType }) => partType)
}
