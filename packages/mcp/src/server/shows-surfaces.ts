import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { appMimeType, appsExtension } from './app-resource.ts'
import type { Conversation } from './conversations.ts'

export interface SurfaceClaims {
  readonly capabilities: ClientCapabilities | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /** True when this server has a page for hosts of MCP Apps. */
  readonly hasApp: boolean
}

/**
 * True when a client says that it shows surfaces: it is a host of MCP Apps and there is a page for it, it names its
 * catalogs of A2UI (`a2ui` in its capabilities, or in the `_meta` of the call), or it consumes `a2ui-surface`.
 */
export function showsSurfaces(
  { capabilities, meta, hasApp }: SurfaceClaims,
  { to }: Pick<Conversation, 'to'>,
): boolean {
  const { experimental, extensions } = capabilities ?? {}
  const places: readonly (Readonly<Record<string, unknown>> | undefined)[] = [capabilities, experimental, meta]
  const claims = places.map((place) => place?.a2ui)
  if (claims.some((claim) => typeof claim === 'object' && claim !== null)) return true
  return to.consumes?.includes('a2ui-surface') === true || (hasApp && hostsApps(extensions?.[appsExtension]))
}

/** A host that does not say which pages it shows is taken to show the one kind that there is. */
function hostsApps(settings: unknown): boolean {
  if (typeof settings !== 'object' || settings === null) return false
  const { mimeTypes } = settings as { readonly mimeTypes?: unknown }
  return mimeTypes === undefined || (Array.isArray(mimeTypes) && mimeTypes.includes(appMimeType))
}
