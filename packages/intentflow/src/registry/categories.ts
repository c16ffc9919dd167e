import type { Flow } from '../definition/flow.ts'

/** A category as it is described. */
export interface FlowCategoryOptions {
  readonly id: string
  readonly label?: string
  readonly description?: string
  readonly icon?: string
}

/** A category with its flows. */
export interface FlowCategory extends FlowCategoryOptions {
  readonly label: string
  /** Ids of the flows in it. */
  readonly flows: readonly string[]
}

/** The categories that flows are in, by name; one without a description is called by its id. */
export function categoriesOf(
  flows: readonly Flow[],
  described: ReadonlyMap<string, FlowCategoryOptions>,
): FlowCategory[] {
  const found = new Map<string, string[]>()
  for (const { intentId, meta } of flows) {
    if (meta.category !== undefined) found.set(meta.category, [...(found.get(meta.category) ?? []), intentId])
  }
  return [...found]
    .map(([id, ids]) => ({ id, label: labelOf(id), ...described.get(id), flows: ids.toSorted() }))
    .toSorted((a, b) => (a.label < b.label ? -1 : 1))
}

function labelOf(id: string): string {
  const words = id.replaceAll(/[._-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
