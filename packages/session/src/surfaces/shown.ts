import type { Part } from '@cool-ai/beach-core'
import { peerOrigin } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import {
  approvalAction,
  basicCatalogId,
  componentIds,
  createdCatalogs,
  declaredActions,
  readA2uiMessages,
  type A2uiMessage,
} from '@cool-ai/beach-protocol/parts'
import type { LiveSurface, SurfaceOwner } from './surface-slice.ts'

/**
 * What is kept of all surfaces together; those touched longest ago are forgotten first. Surfaces of peers have room of
 * their own, so that a peer cannot have the agent's surfaces forgotten.
 */
const max = { surfaces: 200, actions: 2_000, characters: 250_000 }

type SurfaceSource = Pick<LiveSurface, 'partId' | 'turnId' | 'seq' | 'approvalId'>
type SurfacePlace = SurfaceSource & Pick<LiveSurface, 'slotKey' | 'peer'>
type Body = Readonly<Record<string, unknown>>

/** The live surfaces after a part has shown, changed or removed some of them. */
export function shown(live: readonly LiveSurface[], part: Part, place: SurfaceSource): readonly LiveSurface[] {
  const { slotKey } = part.metadata
  const peer = ownerOf(part)
  const there: SurfacePlace = { ...place, ...defined({ slotKey, peer }) }
  let after = live
  let creates = false
  for (const message of messagesOf(part)) {
    if (message.createSurface !== undefined) creates = true
    after = changed(after, message, there)
  }
  // One slot has one surface: a new one replaces the one that another part had shown there.
  const kept = creates && slotKey !== undefined ? after.filter((one) => isKept(one, there)) : after
  return bounded(kept)
}

function isKept(surface: LiveSurface, { slotKey, partId, peer }: SurfacePlace): boolean {
  return surface.slotKey !== slotKey || surface.peer?.id !== peer?.id || surface.partId === partId
}

/** The peer that a part is of; undefined for the agent's own. */
function ownerOf(part: Part): SurfaceOwner | undefined {
  const origin = peerOrigin(part)
  return origin && defined({ id: origin.peer, taskId: origin.taskId, conversationId: origin.conversationId })
}

function changed(live: readonly LiveSurface[], message: A2uiMessage, place: SurfacePlace): readonly LiveSurface[] {
  const { createSurface, updateComponents, updateDataModel, deleteSurface } = message
  // The data of the agent's own surfaces is not kept.
  const data = place.peer === undefined ? undefined : idOf(updateDataModel)
  const surfaceId = idOf(createSurface) ?? idOf(updateComponents) ?? idOf(deleteSurface) ?? data
  if (surfaceId === undefined) return live
  const before = live.find((surface) => surface.surfaceId === surfaceId)
  const others = before === undefined ? live : live.filter((surface) => surface !== before)
  if (createSurface !== undefined) {
    const asks = (createSurface as Body).sendDataModel === true && { sendDataModel: true as const }
    const again = before !== undefined && { isChanged: true as const }
    const catalogId = createdCatalogs([message]).get(surfaceId)
    const other = catalogId !== undefined && catalogId !== basicCatalogId && { catalogId }
    return [...others, { surfaceId, ...place, ...asks, ...again, ...other, actions: [], size: 0 }]
  }
  if (deleteSurface !== undefined) return others
  // An update of a surface that is not there shows nothing.
  if (before === undefined) return live
  const after = updateComponents === undefined ? before : withComponents(before, message, place.partId)
  // Actions go to the task that changed the surface last.
  return [...others, place.peer === undefined ? after : { ...after, peer: place.peer }]
}

/** A component that is defined anew has only the actions that it declares now. */
function withComponents(surface: LiveSurface, message: A2uiMessage, partId: string): LiveSurface {
  const declared = new Set(componentIds(message))
  const own = declaredActions(message).filter(({ name, fixed }) => {
    // Nothing decides an approval but the surface that was made of its request.
    return name !== approvalAction || (surface.approvalId !== undefined && fixed.approvalId === surface.approvalId)
  })
  const actions = [...surface.actions.filter(({ componentId }) => !declared.has(componentId)), ...own]
  const later = partId !== surface.partId && { isChanged: true as const }
  return { ...surface, ...later, actions, size: JSON.stringify(actions).length }
}

function bounded(live: readonly LiveSurface[]): readonly LiveSurface[] {
  const own = live.filter(({ peer }) => peer === undefined)
  const kept = new Set([...lastOf(own), ...lastOf(live.filter(({ peer }) => peer !== undefined))])
  return kept.size === live.length ? live : live.filter((surface) => kept.has(surface))
}

function lastOf(live: readonly LiveSurface[]): readonly LiveSurface[] {
  let actions = 0
  let characters = 0
  let first = live.length
  while (first > 0 && live.length - first < max.surfaces) {
    const surface = live[first - 1]
    actions += surface?.actions.length ?? 0
    characters += surface?.size ?? 0
    if (actions > max.actions || characters > max.characters) break
    first--
  }
  return first === 0 ? live : live.slice(first)
}

function idOf(body: unknown): string | undefined {
  const id = typeof body === 'object' && body !== null && 'surfaceId' in body ? body.surfaceId : undefined
  return typeof id === 'string' ? id : undefined
}

function messagesOf({ data }: Part): A2uiMessage[] {
  // A surface that cannot be read shows nothing to act on.
  return readA2uiMessages(data) ?? []
}
