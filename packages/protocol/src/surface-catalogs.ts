import type { Part } from '@cool-ai/beach-core'
import type { PartContext } from '@cool-ai/beach-core/registries'
import { basicCatalogId, readA2uiMessages, surfaceIds, type A2uiMessage } from './a2ui-messages.ts'
import { isPlainObject } from './plain-value.ts'

// A2UI's own catalog has had two names.
const earlierBasicCatalogId = 'https://a2ui.org/specification/v0_9/basic_catalog.json'

/** Both ids of the Basic Catalog. */
export const basicCatalogIds: readonly string[] = [basicCatalogId, earlierBasicCatalogId]

/** The id by which a catalog is known: the Basic Catalog has two. */
export function catalogName(catalogId: string): string {
  return catalogId === earlierBasicCatalogId ? basicCatalogId : catalogId
}

/** The catalogs of the surfaces that messages create, by the surfaces' ids. */
export function createdCatalogs(messages: readonly A2uiMessage[]): Map<string, string> {
  return new Map(
    messages.flatMap(({ createSurface }): [string, string][] => {
      if (!isPlainObject(createSurface)) return []
      const { surfaceId, catalogId } = createSurface
      return typeof surfaceId === 'string' && typeof catalogId === 'string' ? [[surfaceId, catalogName(catalogId)]] : []
    }),
  )
}

/**
 * What is known when one of several parts is checked that are said together: the catalog of a surface that one of them
 * creates is not the one that the surface had before.
 */
export function contextAmong(parts: readonly unknown[], { catalogOf }: PartContext): PartContext {
  let created: ReadonlySet<string> | undefined
  return {
    catalogOf: (surfaceId) => {
      created ??= new Set(parts.flatMap((part) => [...createdBy(part).keys()]))
      return created.has(surfaceId) ? undefined : catalogOf?.(surfaceId)
    },
  }
}

function createdBy(part: unknown): ReadonlyMap<string, string> {
  return createdCatalogs((isPlainObject(part) && readA2uiMessages(part.data)) || [])
}

/**
 * The part with a note of the catalogs of those of its surfaces that it does not create itself: what is said later of a
 * surface can only be understood by its catalog. The Basic Catalog needs no note, and one of the author's own counts for
 * nothing.
 */
export function withSurfaceCatalogs(part: Part, catalogOf: (surfaceId: string) => string | undefined): Part {
  if (part.metadata.partType !== 'a2ui-surface') return part
  const messages = readA2uiMessages(part.data) ?? []
  const created = createdCatalogs(messages)
  const noted = surfaceIds(messages).flatMap((surfaceId): [string, string][] => {
    const catalogId = created.has(surfaceId) ? undefined : catalogOf(surfaceId)
    return catalogId === undefined || catalogName(catalogId) === basicCatalogId ? [] : [[surfaceId, catalogId]]
  })
  const { surfaceCatalogs: given, ...metadata } = part.metadata
  if (noted.length > 0) return { ...part, metadata: { ...metadata, surfaceCatalogs: Object.fromEntries(noted) } }
  return given === undefined ? part : { ...part, metadata }
}

/** The catalogs of all surfaces that a part speaks of. */
export function surfaceCatalogs({ data, metadata }: Part): string[] {
  const messages = readA2uiMessages(data) ?? []
  const created = createdCatalogs(messages)
  const noted = isPlainObject(metadata.surfaceCatalogs) ? metadata.surfaceCatalogs : {}
  const all = surfaceIds(messages).map((surfaceId) => {
    const later = Object.hasOwn(noted, surfaceId) ? noted[surfaceId] : undefined
    return created.get(surfaceId) ?? (typeof later === 'string' ? catalogName(later) : basicCatalogId)
  })
  return [...new Set(all)]
}

/** True when a listener can show a surface: of the catalogs that it knows, which is the Basic Catalog where it does not say. */
export function knowsCatalogs(part: Part, { catalogs }: { readonly catalogs?: readonly string[] }): boolean {
  const known = catalogs === undefined ? [basicCatalogId] : catalogs.map(catalogName)
  return surfaceCatalogs(part).every((catalogId) => known.includes(catalogId))
}
