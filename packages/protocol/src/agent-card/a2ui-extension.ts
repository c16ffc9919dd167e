import type { AgentExtension } from '@a2a-js/sdk'
import type { ReadAgentCard } from './read-agent-card.ts'

/** A2UI's extension of A2A, by the versions of A2UI that are spoken here. */
export const a2uiExtensionUris = [
  'https://a2ui.org/a2a-extension/a2ui/v0.9',
  'https://a2ui.org/a2a-extension/a2ui/v0.9.1',
] as const

/** What an agent that shows surfaces of these catalogs says on its card. */
export function a2uiExtensions(supportedCatalogIds: readonly string[]): AgentExtension[] {
  return a2uiExtensionUris.map((uri) => ({
    uri,
    description: `Surfaces of A2UI ${uri.split('/').at(-1)}.`,
    required: false,
    // Catalogs that come with a message are not taken: what is shown must be known when it is made.
    params: { supportedCatalogIds: [...supportedCatalogIds], acceptsInlineCatalogs: false },
  }))
}

/** The catalogs of surfaces that an agent knows by its card; undefined when it says nothing of them. */
export function cardCatalogs({ card, envelope }: ReadAgentCard): string[] | undefined {
  const { a2uiCatalog } = envelope
  const extensions = card.capabilities?.extensions.filter(({ uri }) => a2uiExtensionUris.some((known) => known === uri))
  const listed = (extensions ?? []).flatMap(({ params }) => {
    const ids: unknown = params?.supportedCatalogIds
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
  })
  const all = new Set([...(a2uiCatalog === undefined ? [] : [a2uiCatalog]), ...listed])
  return all.size === 0 ? undefined : [...all]
}
