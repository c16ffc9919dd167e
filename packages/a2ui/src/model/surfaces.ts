import { findMessages, kindsIn, type Component } from '../messages.ts'
import { isPlainObject, own, type PlainObject } from '../plain.ts'
import { withValueAt } from './data-model.ts'

/** A surface as messages have made it so far. */
export interface Surface {
  readonly surfaceId: string
  /** The Basic Catalog's when the messages do not create the surface themselves. */
  readonly catalogId: string | undefined
  readonly components: ReadonlyMap<string, Component>
  readonly data: unknown
}

interface OpenSurface {
  readonly surfaceId: string
  catalogId: string | undefined
  readonly components: Map<string, Component>
  data: unknown
}

/** The surfaces that messages make, in the order in which they first appear; what cannot be read is passed over. */
export function surfacesOf(data: unknown): Surface[] {
  const surfaces = new Map<string, OpenSurface>()
  for (const { given } of findMessages(data)) {
    if (!isPlainObject(given)) continue
    for (const kind of kindsIn(given)) {
      const body = own(given, kind)
      const surfaceId = isPlainObject(body) ? own(body, 'surfaceId') : undefined
      if (!isPlainObject(body) || typeof surfaceId !== 'string') continue
      if (kind === 'deleteSurface') surfaces.delete(surfaceId)
      else {
        const surface = surfaces.get(surfaceId) ?? emptySurface(surfaceId)
        surfaces.set(surfaceId, surface)
        apply(surface, kind, body)
      }
    }
  }
  return [...surfaces.values()]
}

function emptySurface(surfaceId: string): OpenSurface {
  return { surfaceId, catalogId: undefined, components: new Map(), data: undefined }
}

function apply(surface: OpenSurface, kind: string, body: PlainObject): void {
  switch (kind) {
    case 'createSurface':
      surface.catalogId = typeof body.catalogId === 'string' ? body.catalogId : ''
      break
    case 'updateDataModel':
      surface.data = withValueAt(surface.data, typeof body.path === 'string' ? body.path : '', body.value)
      break
    default:
      for (const component of Array.isArray(body.components) ? body.components : []) {
        if (isComponent(component)) surface.components.set(component.id, component)
      }
  }
}

/** True for an object that has the name and the type of a component. */
function isComponent(value: unknown): value is Component {
  return isPlainObject(value) && typeof value.id === 'string' && typeof value.component === 'string'
}
