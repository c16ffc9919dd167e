import type { Part } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import {
  approvalAction,
  componentIds,
  declaredActions,
  readA2uiMessages,
  type A2uiMessage,
} from '@cool-ai/beach-protocol/parts'
import type { LiveSurface } from './surface-slice.ts'

/** What is kept of all surfaces together; those touched longest ago are forgotten first. */
const max = { surfaces: 200, actions: 2_000, characters: 250_000 }

type SurfaceSource = Pick<LiveSurface, 'partId' | 'turnId' | 'seq' | 'approvalId'>
type Body = Readonly<Record<string, unknown>>

/** The live surfaces after a part has shown, changed or removed some of them. */
export function shown(live: readonly LiveSurface[], part: Part, place: SurfaceSource): readonly LiveSurface[] {
  const { slotKey } = part.metadata
  let after = live
  let creates = false
  for (const message of messagesOf(part)) {
    if (message.createSurface !== undefined) creates = true
    after = changed(after, message, defined({ ...place, slotKey }))
  }
  // One slot has one surface: a new one replaces the one that another part had shown there.
  const kept = creates && slotKey !== undefined ? after.filter((one) => isKept(one, slotKey, place.partId)) : after
  return bounded(kept)
}

function isKept(surface: LiveSurface, slotKey: string, partId: string): boolean {
  return surface.slotKey !== slotKey || surface.partId === partId
}

function changed(
  live: readonly LiveSurface[],
  message: A2uiMessage,
  place: SurfaceSource & Pick<LiveSurface, 'slotKey'>,
): readonly LiveSurface[] {
  const { createSurface, updateComponents, deleteSurface } = message
  const surfaceId = idOf(createSurface) ?? idOf(updateComponents) ?? idOf(deleteSurface)
  if (surfaceId === undefined) return live
  const before = live.find((surface) => surface.surfaceId === surfaceId)
  const others = before === undefined ? live : live.filter((surface) => surface !== before)
  if (createSurface !== undefined) {
    const asks = (createSurface as Body).sendDataModel === true && { sendDataModel: true as const }
    const again = before !== undefined && { isChanged: true as const }
    return [...others, { surfaceId, ...place, ...asks, ...again, actions: [], size: 0 }]
  }
  if (deleteSurface !== undefined) return others
  // An update of a surface that is not there shows nothing.
  return before === undefined ? live : [...others, withComponents(before, message, place.partId)]
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
