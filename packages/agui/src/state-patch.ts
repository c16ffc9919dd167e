import type { JsonPatch } from '@ag-ui/core'
import type { Coordinates } from '@cool-ai/beach-core'
import { pointerTo } from '@cool-ai/beach-protocol'

/** What a client holds as the agent's state. */
export interface AguiState {
  readonly coordinates: Coordinates
  /** What slices show, by name. */
  readonly [name: string]: unknown
}

/** The patch that leads from where the coordinates stood to where they stand. */
export function statePatch(before: Coordinates, after: Coordinates): JsonPatch {
  const path = (name: string) => pointerTo('/coordinates', name)
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  const moved = Object.entries(after).filter(([name, value]) => before[name] !== value)
  return [
    ...gone.map((name) => ({ op: 'remove' as const, path: path(name) })),
    ...moved.map(([name, value]) => {
      const op = Object.hasOwn(before, name) ? ('replace' as const) : ('add' as const)
      return { op, path: path(name), value }
    }),
  ]
}
