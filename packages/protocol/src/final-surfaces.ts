import type { Part } from '@cool-ai/beach-core'
import { readA2uiMessages, surfaceIds, type A2uiMessage } from './a2ui-messages.ts'
import { isPlainObject } from './plain-value.ts'

/**
 * Surfaces in their final state, for listeners that get an answer as a whole: what several parts say of one surface is one
 * part, which stands where the first of them stood. A surface that was made and removed is not there.
 */
export function finalSurfaces(parts: readonly Part[]): readonly Part[] {
  const bySurface = new Map<string, Part[]>()
  for (const part of parts) {
    const id = surfaceOf(part)
    if (id !== undefined) bySurface.set(id, [...(bySurface.get(id) ?? []), part])
  }
  if ([...bySurface.values()].every(({ length }) => length < 2)) return parts
  return parts.flatMap((part) => {
    const id = surfaceOf(part)
    const all = id === undefined ? undefined : bySurface.get(id)
    if (all === undefined || all.length < 2) return [part]
    if (all[0] !== part) return []
    const messages = finalMessages(all.flatMap(({ data }) => readA2uiMessages(data) ?? []))
    return messages.length === 0 ? [] : [{ ...part, data: messages }]
  })
}

/** The surface of a part that speaks of one; parts that speak of several are left as they are. */
function surfaceOf({ data, metadata }: Part): string | undefined {
  if (metadata.partType !== 'a2ui-surface') return undefined
  const ids = surfaceIds(readA2uiMessages(data) ?? [])
  return ids.length === 1 ? ids[0] : undefined
}

/** The messages that lead to the same surface: what was replaced is left out. */
function finalMessages(messages: readonly A2uiMessage[]): A2uiMessage[] {
  const deleted = messages.findLastIndex((message) => 'deleteSurface' in message)
  const before = messages.slice(0, deleted + 1)
  const since = messages.slice(deleted + 1)
  const [first = {}] = before
  const removal = 'createSurface' in first ? [] : before.slice(-1)
  // One that is created again, maybe of another catalog, has nothing of what it was before.
  const created = since.findLastIndex((message) => 'createSurface' in message)
  const creation = created < 0 ? [] : since.slice(created, created + 1)
  const left = since.slice(created + 1)
  return [...removal, ...creation, ...finalData(left), ...finalComponents(left)]
}

/** Data that was written over, at the same place or at the root, is gone. */
function finalData(messages: readonly A2uiMessage[]): A2uiMessage[] {
  const updates = messages.filter((message) => 'updateDataModel' in message)
  const paths = updates.map(({ updateDataModel }) => pathOf(updateDataModel))
  return updates.filter((_, index) => {
    const later = new Set(paths.slice(index + 1))
    return !later.has('/') && !later.has(paths[index] ?? '')
  })
}

function pathOf(update: unknown): string {
  return isPlainObject(update) && typeof update.path === 'string' && update.path !== '' ? update.path : '/'
}

/** Of each component the last form, in one message. */
function finalComponents(messages: readonly A2uiMessage[]): A2uiMessage[] {
  const updates = messages.filter(({ updateComponents }) => isPlainObject(updateComponents))
  const last = updates.at(-1)
  if (last === undefined || updates.length < 2) return updates
  const components = new Map<unknown, unknown>()
  for (const { updateComponents } of updates) {
    const { components: given } = updateComponents as { readonly components?: unknown }
    for (const component of Array.isArray(given) ? given : []) {
      components.set(isPlainObject(component) ? component.id : component, component)
    }
  }
  return [{ ...last, updateComponents: { ...(last.updateComponents as object), components: [...components.values()] } }]
}
