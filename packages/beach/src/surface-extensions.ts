import { basicCatalogIds } from '@cool-ai/beach-protocol'
import { a2uiExtensions, type AgentCardInput, type AgentExtension } from '@cool-ai/beach-protocol/authored-card'
import type { BeachOptions } from './beach-options.ts'

/** What an agent's card says of A2UI: the catalogs of its surfaces, unless it says that it produces none. */
export function surfaceExtensions(
  { envelope }: Pick<AgentCardInput, 'envelope'>,
  { catalogs = [] }: Pick<BeachOptions, 'catalogs'>,
): AgentExtension[] {
  if (envelope?.parts !== undefined && !envelope.parts.includes('a2ui-surface')) return []
  return a2uiExtensions(catalogIds({ catalogs }))
}

/** The catalogs of an agent, by their ids. */
export function catalogIds({ catalogs = [] }: Pick<BeachOptions, 'catalogs'>): string[] {
  return [...basicCatalogIds, ...catalogs.map(({ catalogId }) => catalogId)]
}
