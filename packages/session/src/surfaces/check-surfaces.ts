import { BeachError, type Part, type PartTypeRegistry } from '@cool-ai/beach-core'
import { sliceState, type SessionState } from '@cool-ai/beach-core/log'
import { peerOf } from '@cool-ai/beach-core/ports'
import {
  basicCatalogId,
  createdCatalogs,
  readA2uiMessages,
  shownSurfaces,
  withSurfaceCatalogs,
} from '@cool-ai/beach-protocol/parts'
import { surfaceSlice, type LiveSurface } from './surface-slice.ts'

/**
 * The parts of an actor as they are kept. Refuses those that touch the surface of an approval, because an actor must not
 * change what people decide on, or a surface of another agent, and those that change a surface to what its catalog does
 * not have.
 */
export function checkedSurfaces(
  state: SessionState,
  parts: readonly Part[],
  partTypes: PartTypeRegistry,
): readonly Part[] {
  const touched = shownSurfaces(parts)
  if (touched.size === 0) return parts
  for (const surface of sliceState(surfaceSlice, state).live) {
    if (touched.has(surface.surfaceId)) checkOwner(surface, parts)
  }
  return parts.map((part, index) => {
    const catalogOf = (surfaceId: string) => catalogIn(surfaceId, state, parts.slice(0, index)) ?? basicCatalogId
    return checkedSurface(part, partTypes, catalogOf)
  })
}

function checkOwner({ surfaceId, approvalId, peer }: LiveSurface, parts: readonly Part[]): void {
  if (approvalId !== undefined) {
    throw new BeachError(
      'INVALID_PART',
      `The surface '${surfaceId}' is the one of an approval; only the system may change it. Use another id.`,
    )
  }
  const isOthers = (part: Part) => peerOf(part) !== peer?.id && shownSurfaces([part]).has(surfaceId)
  if (!parts.some(isOthers)) return
  const whose = peer === undefined ? 'of this agent' : `of the agent '${peer.id}'`
  throw new BeachError('INVALID_PART', `The surface '${surfaceId}' is ${whose}; only it may change it.`)
}

/** The catalog that a surface has, by what was last said of it; undefined when there is no such surface. */
export function catalogIn(surfaceId: string, state: SessionState, later: readonly Part[]): string | undefined {
  const said = later.findLast((part) => catalogsBy(part).has(surfaceId))
  if (said !== undefined) return catalogsBy(said).get(surfaceId)
  const surface = sliceState(surfaceSlice, state).live.find((one) => one.surfaceId === surfaceId)
  return surface && (surface.catalogId ?? basicCatalogId)
}

function catalogsBy({ data, metadata }: Part): ReadonlyMap<string, string> {
  return metadata.partType === 'a2ui-surface' ? createdCatalogs(readA2uiMessages(data) ?? []) : new Map()
}

function checkedSurface(part: Part, partTypes: PartTypeRegistry, catalogOf: (surfaceId: string) => string): Part {
  const created = catalogsBy(part)
  // What a part creates itself has been checked by itself.
  if ([...shownSurfaces([part])].every((surfaceId) => created.has(surfaceId)))
    return withSurfaceCatalogs(part, catalogOf)
  const problems = partTypes.get(part.metadata.partType)?.validate?.(part, { catalogOf }) ?? []
  if (problems.length > 0) throw new BeachError('INVALID_PART', problems.join('\n'), { details: { problems } })
  return withSurfaceCatalogs(part, catalogOf)
}
