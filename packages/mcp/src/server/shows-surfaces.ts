import { catalogsIn } from '@cool-ai/beach-channel/peers'
import type { Originator } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { appMimeType, appsExtension } from './app-resource.ts'
import type { Conversation } from './conversations.ts'

export interface SurfaceClaims {
  readonly capabilities: ClientCapabilities | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /** True when this server has a page for hosts of MCP Apps. */
  readonly hasApp: boolean
}

/** What a client shows that shows surfaces: those of its catalogs, or of the Basic Catalog where it names none. */
export type ShownSurfaces = Pick<Originator, 'catalogs'>

/**
 * What a client shows that says that it shows surfaces: it is a host of MCP Apps and there is a page for it, it names its
 * catalogs of A2UI (`a2ui` in its capabilities, or in the `_meta` of the call), or it consumes `a2ui-surface`. False for
 * all others.
 */
export function showsSurfaces(
  { capabilities, meta, hasApp }: SurfaceClaims,
  { to }: Pick<Conversation, 'to'>,
): ShownSurfaces | false {
  const { experimental, extensions } = capabilities ?? {}
  const places: readonly (Readonly<Record<string, unknown>> | undefined)[] = [capabilities, experimental, meta]
  const claims = places.map((place) => place?.a2ui).filter((claim) => typeof claim === 'object' && claim !== null)
  const catalogs = claims.flatMap((claim) => {
    const { clientCapabilities = claim } = claim as { readonly clientCapabilities?: unknown }
    return catalogsIn({ a2uiClientCapabilities: clientCapabilities }) ?? []
  })
  const known = catalogs.length > 0 ? catalogs : to.catalogs
  const isShown = claims.length > 0 || to.consumes?.includes('a2ui-surface') === true
  return (isShown || (hasApp && hostsApps(extensions?.[appsExtension]))) && defined({ catalogs: known })
}

/** A host that does not say which pages it shows is taken to show the one kind that there is. */
function hostsApps(settings: unknown): boolean {
  if (typeof settings !== 'object' || settings === null) return false
  const { mimeTypes } = settings as { readonly mimeTypes?: unknown }
  return mimeTypes === undefined || (Array.isArray(mimeTypes) && mimeTypes.includes(appMimeType))
}
