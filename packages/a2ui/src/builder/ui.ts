import { components } from './components.ts'
import { functions } from './functions.ts'
import { pathsOf } from './scope.ts'
import { deleteSurface, surface, updateComponents, updateData } from './surface.ts'

const untyped = pathsOf()

/**
 * Writes surfaces of A2UI's Basic Catalog in code: components stand inside one another, and `surface` makes the messages.
 *
 *     ui.surface({
 *       surfaceId: 'flights',
 *       data: { flights: [{ airline: 'BA', price: 187 }] },
 *       root: ({ each }) =>
 *         ui.list(each('/flights', ({ path }) => ui.row(ui.text(path('airline')), ui.text(path('price'))))),
 *     })
 */
export const ui = {
  ...components,
  ...functions,
  surface,
  updateData,
  updateComponents,
  deleteSurface,
  /** Paths into data of a type: `const { path, each } = ui.pathsOf<Flights>()`. */
  pathsOf,
  /** A path into data of which no type is known. */
  bind: untyped.path,
  /** Shows something once for each item of a list of which no type is known. */
  each: untyped.each,
} as const
