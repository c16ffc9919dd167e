import { defaultConsumes } from '@cool-ai/beach-a2a/peers'
import type { PartTypeRegistry } from '@cool-ai/beach-core'
import type { AgentSettings } from './agent-settings.ts'

/**
 * The settings of an agent that has peers, with the part types that it consumes: in its calls, and on its card if it
 * has one.
 */
export function withConsumes(settings: AgentSettings, partTypes: PartTypeRegistry): AgentSettings {
  const { card } = settings
  const consumes = card?.envelope?.consumes ?? [...defaultConsumes, ...applicationTypes(partTypes)]
  return { ...settings, consumes, card: card && { ...card, envelope: { ...card.envelope, consumes } } }
}

/** The part types of the application that any agent may send. */
function applicationTypes(partTypes: PartTypeRegistry): string[] {
  const own = partTypes.entries().filter(({ isCanonical }) => !isCanonical)
  return own
    .filter(({ saidBy, deliveryRules }) => saidBy !== 'tools' && deliveryRules.streaming !== 'inbound-only')
    .map(({ partType }) => partType)
}
