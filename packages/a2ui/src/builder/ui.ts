import { components } from './components.ts'
import { functions } from './functions.ts'
import { pathsOf, type Scope } from './scope.ts'
import { deleteSurface, surface, updateComponents, updateData } from './surface.ts'

interface Surfaces {
  readonly surface: typeof surface
  readonly updateData: typeof updateData
  readonly updateComponents: typeof updateComponents
  readonly deleteSurface: typeof deleteSurface
  /** Paths into data of a type: `const { path, each } = ui.pathsOf<Flights>()`. */
  readonly pathsOf: typeof pathsOf
  /** A path into data of which no type is known. */
  readonly bind: Scope<unknown>['path']
  /** Shows something once for each item of a list of which no type is known. */
  readonly each: Scope<unknown>['each']
}

const { path: bind, each } = pathsOf()

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
export const ui: typeof components & typeof functions & Surfaces = {
  ...components,
  ...functions,
  surface,
  updateData,
  updateComponents,
  deleteSurface,
  pathsOf,
  bind,
  each,
}
